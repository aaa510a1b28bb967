// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/fill_choice.h"

#include <gtest/gtest.h>

namespace shadowvm::schedule {
namespace {

FillFacts Of(int64_t rows, int cores) {
  FillFacts facts;
  facts.rows = rows;
  facts.link_bytes = 36 * rows;
  facts.cores = cores;
  return facts;
}

TEST(FillChoice, ManyRowsMoveToTheCard) {
  const DeviceChoice choice = ChooseFill(Of(50'000'000, 16));
  EXPECT_EQ(choice.mode, Mode::kGpu);
  EXPECT_EQ(choice.reason, "the GPU is predicted to enter them faster");
  EXPECT_GT(choice.predicted(Mode::kGpu), 0);
  EXPECT_LT(choice.predicted(Mode::kGpu), choice.predicted(Mode::kCpu));
}

TEST(FillChoice, FewRowsAndManyCoresStay) {
  EXPECT_EQ(ChooseFill(Of(1000, 1)).mode, Mode::kCpu);
  const DeviceChoice choice = ChooseFill(Of(50'000'000, 64));
  EXPECT_EQ(choice.mode, Mode::kCpu);
  EXPECT_EQ(choice.reason, "the CPU is predicted to enter them faster");
}

TEST(FillChoice, WhatIsRememberedCounts) {
  FillFacts facts = Of(1'000'000, 16);
  facts.remembered[Side::kCpu] = 100'000;
  EXPECT_EQ(ChooseFill(facts).mode, Mode::kCpu);
  EXPECT_DOUBLE_EQ(ChooseFill(facts).predicted(Mode::kCpu), 1'000'000 / 1.6e6);
  facts.remembered[Side::kGpu] = 2e6;
  EXPECT_EQ(ChooseFill(facts).mode, Mode::kGpu);
  EXPECT_DOUBLE_EQ(ChooseFill(facts).predicted(Mode::kGpu), 0.5);
}

TEST(FillChoice, WhatTheCardOughtNotTo) {
  FillFacts facts = Of(50'000'000, 1);
  facts.why_not_gpu = "so";
  const DeviceChoice choice = ChooseFill(facts);
  EXPECT_EQ(choice.mode, Mode::kCpu);
  EXPECT_EQ(choice.reason, "so");
}

}  // namespace
}  // namespace shadowvm::schedule
