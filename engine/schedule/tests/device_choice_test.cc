// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/device_choice.h"

#include <gtest/gtest.h>

namespace shadowvm::schedule {
namespace {

// About a query at scale factor 20, its columns in the host's memory, on 16 cores.
PipelineFacts LargeScan() {
  PipelineFacts facts;
  facts.rows = 120'000'000;
  facts.bytes = facts.rows * 10;
  facts.cores = 16;
  return facts;
}

TEST(DeviceChoice, BothWorkOnWhatIsInTheHostsMemory) {
  const DeviceChoice choice = ChooseDevice(LargeScan());
  EXPECT_EQ(choice.mode, Mode::kMixed);
  EXPECT_EQ(choice.predicted(choice.mode), choice.predicted_mixed_ms);
  EXPECT_LT(choice.predicted_mixed_ms, choice.predicted_ms[Side::kCpu]);
  EXPECT_LT(choice.predicted_mixed_ms, choice.predicted_ms[Side::kGpu]);
}

TEST(DeviceChoice, WhatIsInTheCardsMemoryStaysThere) {
  PipelineFacts facts = LargeScan();
  facts.device_share = 1;
  const DeviceChoice choice = ChooseDevice(facts);
  EXPECT_EQ(choice.mode, Mode::kGpu);
  EXPECT_EQ(choice.predicted(choice.mode), choice.predicted_ms[Side::kGpu]);
  // But no launch is worth a few rows.
  facts.rows = 5000;
  facts.bytes = 50'000;
  EXPECT_EQ(ChooseDevice(facts).mode, Mode::kCpu);
}

TEST(DeviceChoice, SomePipelinesStayOnTheCpu) {
  PipelineFacts facts = LargeScan();
  facts.why_not_gpu = "groups by hash";
  EXPECT_EQ(ChooseDevice(facts).mode, Mode::kCpu);
  EXPECT_EQ(ChooseDevice(facts).reason, "groups by hash");
  EXPECT_EQ(ChooseDevice(facts).predicted_ms[Side::kGpu], 0);
  facts = LargeScan();
  facts.only_scans = true;
  EXPECT_EQ(ChooseDevice(facts).mode, Mode::kCpu);
  facts = LargeScan();
  facts.in_memory = false;
  EXPECT_EQ(ChooseDevice(facts).mode, Mode::kCpu);
  facts = LargeScan();
  facts.rows = facts.bytes = 2000;
  EXPECT_EQ(ChooseDevice(facts).mode, Mode::kCpu);
}

TEST(DeviceChoice, WhatWasSeenCountsMoreThanWhatIsBelieved) {
  PipelineFacts facts = LargeScan();
  facts.remembered[Side::kCpu] = 1e6;
  facts.remembered[Side::kGpu] = 1e3;  // such as one that is emulated
  const DeviceChoice slow = ChooseDevice(facts);
  EXPECT_EQ(slow.mode, Mode::kCpu);
  EXPECT_DOUBLE_EQ(slow.predicted_ms[Side::kCpu], 120.0 / 16);
  facts.remembered[Side::kGpu] = 1e9;
  EXPECT_EQ(ChooseDevice(facts).mode, Mode::kGpu);
}

}  // namespace
}  // namespace shadowvm::schedule
