// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/sort_choice.h"

#include <gtest/gtest.h>

namespace shadowvm::schedule {
namespace {

SortFacts Of(int64_t rows) {
  SortFacts facts;
  facts.rows = facts.wanted = rows;
  facts.cores = 16;
  return facts;
}

TEST(SortChoice, ManyRowsMoveToTheCard) {
  const DeviceChoice choice = ChooseSort(Of(50'000'000));
  EXPECT_EQ(choice.mode, Mode::kGpu);
  EXPECT_EQ(choice.reason, "the GPU is predicted to sort them faster");
  EXPECT_GT(choice.predicted(Mode::kGpu), 0);
  EXPECT_LT(choice.predicted(Mode::kGpu), choice.predicted(Mode::kCpu));
}

TEST(SortChoice, FewRowsStay) {
  for (const int64_t rows : {0, 1, 1000, 20'000}) {
    const DeviceChoice choice = ChooseSort(Of(rows));
    EXPECT_EQ(choice.mode, Mode::kCpu) << rows;
    EXPECT_EQ(choice.reason, "the CPU is predicted to sort them faster");
  }
}

// The whole of them goes over the link, whatever is asked for.
TEST(SortChoice, AFewOfManyRowsAreFoundByCores) {
  SortFacts facts = Of(50'000'000);
  facts.wanted = 100;
  EXPECT_EQ(ChooseSort(facts).mode, Mode::kCpu);
  facts.wanted = 40'000'000;
  EXPECT_EQ(ChooseSort(facts).mode, Mode::kGpu);
}

TEST(SortChoice, EveryDigitAndTheLinkCost) {
  SortFacts facts = Of(50'000'000);
  const double wide = ChooseSort(facts).predicted(Mode::kGpu);
  facts.key_bits = 17;
  const double narrow = ChooseSort(facts).predicted(Mode::kGpu);
  EXPECT_LT(narrow, wide);
  SortModel model;
  EXPECT_GT(narrow, 50e6 * model.link_bytes / model.link_bytes_per_ms);
  model.link_bytes_per_ms = 1e5;
  EXPECT_EQ(ChooseSort(facts, model).mode, Mode::kCpu);
}

TEST(SortChoice, AReasonOfTheCallersIsKept) {
  SortFacts facts = Of(50'000'000);
  facts.why_not_gpu = "most rows are tied";
  const DeviceChoice choice = ChooseSort(facts);
  EXPECT_EQ(choice.mode, Mode::kCpu);
  EXPECT_EQ(choice.reason, "most rows are tied");
  EXPECT_EQ(choice.predicted_ms[Side::kGpu], 0);
}

TEST(SortChoice, WhatWasSeenCountsMoreThanWhatIsBelieved) {
  SortFacts facts = Of(50'000'000);
  facts.remembered[Side::kGpu] = 10;  // such as one that is emulated
  EXPECT_EQ(ChooseSort(facts).mode, Mode::kCpu);
  facts = Of(200'000);
  facts.remembered[Side::kCpu] = 100;
  facts.remembered[Side::kGpu] = 1e6;
  const DeviceChoice choice = ChooseSort(facts);
  EXPECT_EQ(choice.mode, Mode::kGpu);
  EXPECT_DOUBLE_EQ(choice.predicted(Mode::kGpu), 0.2);
  EXPECT_DOUBLE_EQ(choice.predicted(Mode::kCpu), 125);
}

}  // namespace
}  // namespace shadowvm::schedule
