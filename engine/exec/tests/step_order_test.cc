// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/step_order.h"

#include <gtest/gtest.h>

namespace shadowvm::exec {
namespace {

using Order = std::vector<uint8_t>;

std::vector<vkernel::Step> Steps(const std::vector<uint64_t>& after) {
  std::vector<vkernel::Step> steps;
  for (const uint64_t mask : after) {
    vkernel::Step step;
    step.after = mask;
    steps.push_back(step);
  }
  return steps;
}

TEST(StepOrder, CheapAndSelectiveFirst) {
  const auto steps = Steps({0, 0, 0});
  EXPECT_EQ(OrderSteps(steps, {{0.5, 1.0}, {0.1, 1.0}, {0.9, 1.0}}), (Order{1, 0, 2}));
  // A tenth of the cost outweighs half of the selectivity.
  EXPECT_EQ(OrderSteps(steps, {{0.1, 10.0}, {0.5, 1.0}, {0.5, 2.0}}), (Order{1, 2, 0}));
}

TEST(StepOrder, EqualStepsKeepTheirOrder) {
  EXPECT_EQ(OrderSteps(Steps({0, 0, 0}), {{0.5, 1.0}, {0.5, 1.0}, {0.5, 1.0}}), (Order{0, 1, 2}));
}

TEST(StepOrder, KeepingEveryRowComesLast) {
  EXPECT_EQ(OrderSteps(Steps({0, 0}), {{1.0, 0.1}, {0.9, 5.0}}), (Order{1, 0}));
}

TEST(StepOrder, WaitsForWhatItReads) {
  // The best step reads the match of the worst one.
  EXPECT_EQ(OrderSteps(Steps({0, 0, 0b001}), {{0.9, 9.0}, {0.5, 1.0}, {0.01, 0.1}}),
            (Order{1, 0, 2}));
}

TEST(StepOrder, LeavesOutWhatIsProvenOrDropsLittle) {
  const auto steps = Steps({0, 0, 0, 0});
  EXPECT_EQ(
      OrderSteps(steps, {{0.5, 1.0}, {0.5, 1.0, false, true}, {0.95, 1.0, true}, {0.5, 2.0, true}}),
      (Order{0, 3}));
}

TEST(StepOrder, KeepsWhatAnotherStepAwaits) {
  EXPECT_EQ(OrderSteps(Steps({0, 0b1}), {{1.0, 1.0, false, true}, {0.5, 1.0}}), (Order{0, 1}));
}

TEST(StepOrder, NothingToOrder) { EXPECT_TRUE(OrderSteps({}, {}).empty()); }

TEST(StepOrder, SixtyFourSteps) {
  std::vector<uint64_t> after(64);
  std::vector<StepEstimate> estimates;
  for (int i = 0; i < 64; ++i) {
    after[i] = i == 0 ? 0 : uint64_t{1} << (i - 1);
    estimates.push_back({0.9 - i * 0.01, 1.0});
  }
  const Order order = OrderSteps(Steps(after), estimates);
  ASSERT_EQ(order.size(), 64U);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(order[i], i);
}

}  // namespace
}  // namespace shadowvm::exec
