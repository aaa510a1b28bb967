// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/gpu_steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/exec/tests/step_case.h"

namespace shadowvm::exec {
namespace {

using vkernel::StepKind;

struct Case : StepCase {
  GpuSteps Order(bool resident = true) const {
    return OrderForGpu(blueprint, steps, std::vector<bool>(blueprint.joins.size(), resident));
  }
};

TEST(GpuSteps, TheStepThatLeavesSectorsUnreadComesFirst) {
  Case some;
  some.Add(StepKind::kRange, 1, 0.2);
  some.Add(StepKind::kRange, 1, 0.3);
  some.Add(StepKind::kRange, 2, 1.0 / 360);
  const GpuSteps found = some.Order();
  ASSERT_EQ(found.order.size(), 3u);
  EXPECT_EQ(found.order[0], 2);
  // Few rows are left: the others want one in every lane.
  EXPECT_EQ(found.wide, 1);
}

TEST(GpuSteps, ARangeOfKeysThatDropsMuchComesBeforeItsProbe) {
  Case some;
  some.Add(StepKind::kProbe, 2, 0.01);
  some.AddRangeOfKeys(0.01);
  const GpuSteps found = some.Order();
  EXPECT_EQ(found.order, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(found.wide, 1);
}

TEST(GpuSteps, AProbeThatTheSinkCanDoWithoutIsLeftOutAfterItsRange) {
  Case some;
  some.Add(StepKind::kProbe, 2, 0.01);
  some.AddRangeOfKeys(0.01);
  EXPECT_EQ(some.Order().order, (std::vector<uint8_t>{1, 0}));
  some.steps.estimates[0].optional = true;
  EXPECT_EQ(some.Order().order, (std::vector<uint8_t>{1}));
  // It stays where it drops more than the range.
  some.steps.estimates[0].selectivity = 0.005;
  EXPECT_EQ(some.Order().order, (std::vector<uint8_t>{1, 0}));
}

TEST(GpuSteps, ARangeOfKeysThatDropsLittleIsLeftOut) {
  Case some;
  some.Add(StepKind::kProbe, 2, 0.2);
  some.AddRangeOfKeys(0.9);
  EXPECT_EQ(some.Order().order, (std::vector<uint8_t>{0}));
}

TEST(GpuSteps, WhatDropsRunsOfRowsComesBeforeWhatDropsRows) {
  for (const bool first : {true, false}) {
    Case some;
    some.Add(StepKind::kProbe, 4, 0.2, first ? 4 : 1);
    some.Add(StepKind::kProbe, 4, 0.2, first ? 1 : 4);
    EXPECT_EQ(some.Order().order[0], first ? 0 : 1);
  }
}

TEST(GpuSteps, RunsThatAreDroppedLeaveSectorsUntouched) {
  Case runs, rows;
  for (Case* some : {&runs, &rows}) {
    some->Add(StepKind::kProbe, 4, 0.2, some == &runs ? 4 : 1);
    some->Add(StepKind::kProbe, 2, 0.2);
  }
  const GpuSteps steps{{0, 1}, 2};
  const auto of_runs = TouchedShares(runs.blueprint, runs.steps, steps);
  const auto of_rows = TouchedShares(rows.blueprint, rows.steps, steps);
  EXPECT_DOUBLE_EQ(of_runs[0], 1);
  EXPECT_NEAR(of_rows[1], 1 - std::pow(0.8, 16), 1e-9);
  EXPECT_NEAR(of_runs[1], 1 - std::pow(0.8, 4), 1e-9);
}

TEST(GpuSteps, StepsThatKeepMuchAreWide) {
  Case some;
  some.Add(StepKind::kRange, 1, 0.7);
  some.Add(StepKind::kRange, 1, 0.6);
  EXPECT_EQ(some.Order().wide, 2);
}

TEST(GpuSteps, LoopsOverRowsAreNeverWide) {
  Case some;
  some.Add(StepKind::kWhere, 4, 0.5);
  some.Add(StepKind::kRange, 2, 0.5);
  const GpuSteps found = some.Order();
  EXPECT_EQ(found.order, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(found.wide, 1);
}

TEST(GpuSteps, ABitmapThatIsNotResidentIsAskedLater) {
  Case some;
  some.Add(StepKind::kProbe, 4, 0.1);
  some.Add(StepKind::kRange, 4, 0.2);
  EXPECT_EQ(some.Order(true).order, (std::vector<uint8_t>{0, 1}));
  const GpuSteps found = some.Order(false);
  EXPECT_EQ(found.order, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(found.wide, 2);
  // Few are left: they want one in every lane.
  some.steps.estimates[1].selectivity = 0.01;
  EXPECT_EQ(some.Order(false).wide, 1);
}

TEST(GpuSteps, TheRangeOfAProbesKeysIsLeftToTheProbe) {
  Case some;
  some.Add(StepKind::kProbe, 4, 0.1);
  some.Add(StepKind::kRange, 4, 0.2);
  some.blueprint.levels[0].steps[1].slot = 0;
  some.blueprint.ranges.push_back({.column = 1, .join = 0});
  EXPECT_EQ(some.Order(true).order, (std::vector<uint8_t>{0}));
  // Where the probe costs more, the range comes before it.
  EXPECT_EQ(some.Order(false).order, (std::vector<uint8_t>{1, 0}));
}

TEST(GpuSteps, AStepWaitsForThoseItNeeds) {
  Case some;
  some.Add(StepKind::kRange, 8, 0.9);
  some.Add(StepKind::kRange, 1, 0.01);
  some.blueprint.levels[0].steps[1].after = 1;
  EXPECT_EQ(some.Order().order, (std::vector<uint8_t>{0, 1}));
}

// Of wide steps' columns, those that survivors are asked for again: as the key of their group, as
// an argument, by a later step.
TEST(GpuSteps, ColumnsThatAreReadAgain) {
  Case some;
  some.Add(StepKind::kProbe, 4, 0.2);  // gives group codes
  some.Add(StepKind::kProbe, 4, 0.2);  // does not
  some.Add(StepKind::kRange, 2, 0.2);  // summed up
  some.Add(StepKind::kRange, 2, 0.2);  // not read again
  some.Add(StepKind::kRange, 2, 0.2);  // the key of a group
  some.Add(StepKind::kValid, 4, 0.9);  // summed up, but no wide tile reads its values
  some.Add(StepKind::kRange, 4, 0.2);  // on narrow tiles
  vkernel::Blueprint& blueprint = some.blueprint;
  for (int i = 0; i < 7; ++i) blueprint.inputs.push_back({false, i});
  const auto column = [](int number) {
    auto expression = std::make_shared<plan::Expression>();
    expression->op = plan::Op::kColumn;
    expression->column = number;
    return expression;
  };
  auto sum = std::make_shared<plan::Expression>();
  sum->op = plan::Op::kAdd;
  sum->args = {column(2), column(5)};
  blueprint.sink.accumulates.push_back({.argument = sum});
  blueprint.sink.keys.push_back({.kind = vkernel::GroupKeyKind::kJoinCode, .join = 0});
  blueprint.sink.keys.push_back({.kind = vkernel::GroupKeyKind::kColumn, .column = 4});
  const GpuSteps steps{{0, 1, 2, 3, 4, 5, 6}, 6};
  EXPECT_EQ(ReadAgain(blueprint, steps),
            (std::vector<bool>{true, false, true, false, true, false, false}));
  // Where a later step reads what is read on wide tiles.
  blueprint.levels[0].steps[6].column = 3;
  EXPECT_TRUE(ReadAgain(blueprint, steps)[3]);
  EXPECT_EQ(ReadAgain(blueprint, {steps.order, 0}), std::vector<bool>(7));
}

}  // namespace
}  // namespace shadowvm::exec
