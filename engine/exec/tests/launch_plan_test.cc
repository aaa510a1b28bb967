// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_plan.h"

#include <gtest/gtest.h>

#include "engine/exec/tests/step_case.h"

namespace shadowvm::exec {
namespace {

using vkernel::StepKind;

constexpr int64_t kShared = 200'000;
constexpr int kProcessors = 100;
constexpr int64_t kManyRows = 100'000'000;
constexpr int kMostWarps = 32;

device::AcceleratorFacts Card() {
  device::AcceleratorFacts facts;
  facts.num_processors = kProcessors;
  facts.max_block_threads = 1024;
  facts.shared_bytes = kShared;
  return facts;
}

// Two probes that leave a fifth each, in the order of their joins.
StepCase TwoProbes() {
  StepCase some;
  some.Add(StepKind::kProbe, 4, 0.2);
  some.Add(StepKind::kProbe, 4, 0.25);
  return some;
}

LaunchPlan Plan(const StepCase& some, LaunchExtent rows, std::vector<int64_t> spans = {},
                int64_t group_bytes = 0) {
  return PlanLaunch(Card(), {.blueprint = some.blueprint,
                             .steps = some.steps,
                             .rows = rows,
                             .block_bytes = 1000,
                             .group_bytes = group_bytes,
                             .join_spans = std::move(spans)});
}

int64_t QueueEnd(const LaunchPlan& plan) {
  return plan.queue_at + int64_t{plan.shape.block_threads} / kWarpThreads * kernels::kQueueRows * 4;
}

TEST(LaunchPlan, TheBlockAndTheQueuesComeFirst) {
  const LaunchPlan plan = Plan(StepCase(), {.count = kManyRows});
  EXPECT_TRUE(plan.is_made());
  EXPECT_EQ(plan.queue_at, 1008u);  // the block's bytes, rounded up
  EXPECT_EQ(plan.shape.block_threads, kMostWarps * kWarpThreads);
  EXPECT_EQ(plan.shape.shared_bytes, QueueEnd(plan));
}

TEST(LaunchPlan, GroupsAreInSharedMemoryUpToAQuarterOfIt) {
  const StepCase none;
  const LaunchExtent rows{.count = kManyRows};
  EXPECT_EQ(Plan(none, rows).dense_at, 0u);
  const LaunchPlan some = Plan(none, rows, {}, kShared / 4);
  EXPECT_EQ(some.dense_at, QueueEnd(some));
  EXPECT_EQ(some.shape.shared_bytes, some.dense_at + kShared / 4);
  EXPECT_EQ(Plan(none, rows, {}, kShared / 4 + 1).dense_at, 0u);
}

TEST(LaunchPlan, GroupsOfPairsAreNotInSharedMemory) {
  StepCase pairs;
  pairs.blueprint.levels.emplace_back();
  EXPECT_EQ(Plan(pairs, {.count = kManyRows}, {}, 64).dense_at, 0u);
}

TEST(LaunchPlan, BitmapsLieBehindTheGroupsInTheOrderOfTheirProbes) {
  const LaunchPlan plan = Plan(TwoProbes(), {.count = kManyRows}, {8000, 80'000}, 160);
  ASSERT_EQ(plan.residents.size(), 2u);
  EXPECT_EQ(plan.residents[0].direct, 0u);
  EXPECT_EQ(plan.residents[0].at, plan.dense_at + 160);
  EXPECT_EQ(plan.residents[0].bytes, 1008u);
  EXPECT_EQ(plan.residents[1].direct, 1u);
  EXPECT_EQ(plan.residents[1].at, plan.residents[0].at + 1008);
  EXPECT_EQ(plan.shape.shared_bytes, plan.residents[1].at + 10'016);
}

TEST(LaunchPlan, ABitmapThatDoesNotFitLeavesItsRoomToTheNext) {
  const LaunchPlan plan = Plan(TwoProbes(), {.count = kManyRows}, {8 * kShared, 80'000});
  ASSERT_EQ(plan.residents.size(), 1u);
  EXPECT_EQ(plan.residents[0].direct, 1u);
  EXPECT_LE(plan.shape.shared_bytes, kShared);
}

TEST(LaunchPlan, HashTablesHaveNoBitmap) {
  StepCase some = TwoProbes();
  some.blueprint.joins[0].form = vkernel::JoinForm::kHash;
  const LaunchPlan plan = Plan(some, {.count = kManyRows}, {0, 80'000});
  ASSERT_EQ(plan.residents.size(), 1u);
  EXPECT_EQ(plan.residents[0].direct, 1u);
}

// Few rows are left after the range: those ask the table itself, in narrow tiles.
TEST(LaunchPlan, AProbeOfFewRowsHasNoBitmap) {
  StepCase some;
  some.Add(StepKind::kRange, 2, 1.0 / 1000);
  some.Add(StepKind::kProbe, 4, 0.5);
  const LaunchPlan plan = Plan(some, {.count = kManyRows}, {80'000});
  EXPECT_EQ(plan.steps.order, (std::vector<uint8_t>{0, 1}));
  EXPECT_EQ(plan.steps.wide, 1);
  EXPECT_TRUE(plan.residents.empty());
}

TEST(LaunchPlan, ManyRowsGiveAWarpWholeTiles) {
  EXPECT_EQ(Plan(StepCase(), {.count = kManyRows}).split_shift, 0);
}

TEST(LaunchPlan, FewRowsAreSpreadOverWarpsAndProcessors) {
  const int64_t tile = kernels::kWideTileRows;
  // As many warps share a tile as a lane has rows; over the link as it has groups of them.
  EXPECT_EQ(1u << Plan(StepCase(), {.count = tile}).split_shift, kernels::kLaneRows);
  EXPECT_EQ(1u << Plan(StepCase(), {.count = tile, .over_link = true}).split_shift,
            kernels::kLaneGroups);
  const LaunchPlan one = Plan(StepCase(), {.count = 1});
  EXPECT_EQ(one.shape.block_threads, kWarpThreads);
  EXPECT_GT(NumBlocks(Card(), one, 1), 1);
}

// A part of a launch has its share of the warps, but never next to none.
TEST(LaunchPlan, ASmallPartBesideALargeOneKeepsSomeWarps) {
  const int64_t rows = 64 * int64_t{kernels::kWideTileRows};
  const int alone = Plan(StepCase(), {.count = rows}).split_shift;
  const LaunchPlan beside = Plan(StepCase(), {.count = rows, .beside = kManyRows});
  EXPECT_LT(beside.split_shift, alone);
  EXPECT_GE(64 << beside.split_shift, 128);
  EXPECT_EQ(beside.shape.block_threads, kMostWarps * kWarpThreads);
}

TEST(LaunchPlan, TilesOfBatchesAreSharedHoweverManyThereAre) {
  const LaunchPlan plan =
      Plan(StepCase(), {.count = kManyRows, .over_link = true, .in_batches = true});
  EXPECT_EQ(1u << plan.split_shift, kernels::kLaneGroups);
}

TEST(LaunchPlan, NoMoreBlocksThanFindATile) {
  const LaunchPlan plan = Plan(StepCase(), {.count = kManyRows});
  EXPECT_EQ(NumBlocks(Card(), plan, 0), 1);
  EXPECT_EQ(NumBlocks(Card(), plan, 10 * kMostWarps), 11);
  EXPECT_EQ(NumBlocks(Card(), plan, 1'000'000), kProcessors);
}

TEST(LaunchPlan, APlanIsKnownForTheSameRowsAlone) {
  KnownSteps known;
  const LaunchExtent rows{.count = 1000};
  EXPECT_FALSE(known.PlanFor(rows).is_made());
  known.plan = Plan(StepCase(), rows);
  known.plan_rows = rows;
  EXPECT_TRUE(known.PlanFor(rows).is_made());
  EXPECT_FALSE(known.PlanFor({.count = 1001}).is_made());
  EXPECT_FALSE(known.PlanFor({.count = 1000, .over_link = true}).is_made());
  EXPECT_FALSE(known.PlanFor({.count = 1000, .in_batches = true}).is_made());
}

}  // namespace
}  // namespace shadowvm::exec
