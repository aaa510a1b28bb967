// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/mixed_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/schedule/tests/scripted_clock.h"

namespace shadowvm::schedule {
namespace {

constexpr int kLanes = 15;
constexpr double kCpuSpeed = 30;  // units a millisecond of all cores, about a query at SF20

MixedOptions Options(const std::string& policy, int64_t num_units) {
  MixedOptions options;
  options.policy = ParsePolicy(policy).value();
  options.num_units = num_units;
  options.cpu_lanes = kLanes;
  return options;
}

// Remembers cores that take for ever, and a card that is done at once.
MixedOptions WithAFastCard(int64_t num_units) {
  MixedOptions options = Options("guided", num_units);
  options.remembered[Side::kCpu] = 0.001;
  options.remembered[Side::kGpu] = 1000;
  return options;
}

// Cores, and a card that is 'ratio' times as fast as all of them.
BySide<ScriptedSide> Sides(double ratio) {
  BySide<ScriptedSide> sides;
  sides[Side::kCpu].units_per_ms = kCpuSpeed / kLanes;
  sides[Side::kGpu].units_per_ms = kCpuSpeed * ratio;
  sides[Side::kGpu].launch_ms = 0.01;
  return sides;
}

double BestStatic(int64_t num_units, const BySide<ScriptedSide>& sides) {
  double best = 1e300;
  for (int percent = 0; percent <= 100; percent += 5) {
    const auto run = RunScript(Options("static:" + std::to_string(percent), num_units), sides);
    best = std::min(best, run.milliseconds);
  }
  return best;
}

void ExpectCountedOnce(const ScriptedRun& run) {
  EXPECT_TRUE(std::all_of(run.times_counted.begin(), run.times_counted.end(),
                          [](int times) { return times == 1; }));
}

// No more than 5 % slower than the best static split, and no more than a tenth done twice.
void Check(const MixedOptions& options, const BySide<ScriptedSide>& sides, double best) {
  SCOPED_TRACE(ToText(options.policy));
  const ScriptedRun run = RunScript(options, sides);
  ExpectCountedOnce(run);
  EXPECT_EQ(run.units_done[Side::kCpu] + run.units_done[Side::kGpu], options.num_units);
  EXPECT_LE(run.milliseconds, 1.05 * best);
  EXPECT_LE(run.units_again, options.num_units / 10);
}

// Every policy, with nothing remembered and, for apriori, with what a run before has shown.
void CheckAll(int64_t num_units, const BySide<ScriptedSide>& sides) {
  const double best = BestStatic(num_units, sides);
  for (const std::string policy : {"guided", "elastic", "apriori"}) {
    Check(Options(policy, num_units), sides, best);
  }
  MixedOptions remembering = Options("apriori", num_units);
  for (const Side side : kSides) remembering.remembered[side] = sides[side].units_per_ms;
  Check(remembering, sides, best);
}

constexpr int64_t kSf20 = 1831;

TEST(MixedSchedule, EndsWithTheBestStaticSplitAtEveryRatio) {
  for (const double ratio : {1.0, 3.0, 1 / 3.0, 10.0, 0.1, 50.0, 0.02}) {
    SCOPED_TRACE(ratio);
    CheckAll(kSf20, Sides(ratio));
    CheckAll(9155, Sides(ratio));
  }
}

TEST(MixedSchedule, NoiseChangesLittle) {
  for (const double ratio : {1.0, 3.0, 1 / 3.0, 10.0, 0.1}) {
    SCOPED_TRACE(ratio);
    BySide<ScriptedSide> sides = Sides(ratio);
    for (const Side side : kSides) {
      sides[side].slowness = [side](int64_t number, double) {
        std::mt19937 random(static_cast<unsigned>(number * 2 + static_cast<int>(side)));
        return std::uniform_real_distribution<>(0.7, 1.3)(random);
      };
    }
    CheckAll(kSf20, sides);
  }
}

TEST(MixedSchedule, ACardThatStallsIsWorkedAround) {
  for (const double ratio : {1.0, 3.0, 1 / 3.0}) {
    SCOPED_TRACE(ratio);
    BySide<ScriptedSide> sides = Sides(ratio);
    // What it begins from then on hardly moves.
    sides[Side::kGpu].slowness = [](int64_t, double begin) { return begin < 10 ? 1.0 : 1000.0; };
    CheckAll(kSf20, sides);
  }
}

// However few units there are: cores have done all before the card has one.
TEST(MixedSchedule, NothingIsLeftToACardThatStalls) {
  BySide<ScriptedSide> sides = Sides(1);
  sides[Side::kGpu].slowness = [](int64_t, double) { return 1e6; };
  for (const int64_t units : {20, 25, 29, 120, 480, 930}) {
    for (const std::string policy : {"guided", "elastic", "apriori"}) {
      SCOPED_TRACE(policy + " " + std::to_string(units));
      const ScriptedRun run = RunScript(Options(policy, units), sides);
      ExpectCountedOnce(run);
      EXPECT_EQ(run.units_done[Side::kCpu], units);
      EXPECT_LT(run.milliseconds, 1000);
    }
  }
}

// Nobody has ever measured a core, which has nothing else to do.
TEST(MixedSchedule, ACardThatHasAllUnitsFromTheStartIsNotTheOnlyOne) {
  for (const double remembered : {0.0, 1.0}) {
    MixedOptions options = Options("guided", 2);
    options.remembered[Side::kGpu] = remembered;
    MixedSchedule schedule(options);
    const Grant first = schedule.Take(Side::kGpu, 0, 0);
    ASSERT_FALSE(first.empty());
    while (!schedule.Take(Side::kGpu, 0, 0).empty()) continue;
    for (int unit = 0; unit < 2; ++unit) {
      const Grant again = schedule.Take(Side::kCpu, kServingLane, 1000);
      ASSERT_GE(again.contest, 0);
      EXPECT_EQ(schedule.Finish(again.id, 1001), Verdict::kHold);
    }
    EXPECT_TRUE(schedule.done());
  }
}

// Who asked waits for cores anyhow.
TEST(MixedSchedule, WhatCoresAreAtIsNotTriedAgain) {
  MixedSchedule schedule(WithAFastCard(2));
  EXPECT_FALSE(schedule.Take(Side::kCpu, 1, 0).empty());
  EXPECT_FALSE(schedule.Take(Side::kCpu, 2, 0).empty());
  EXPECT_TRUE(schedule.Take(Side::kGpu, 0, 1000).empty());
}

TEST(MixedSchedule, WhatTheCardLosesCoresDo) {
  BySide<ScriptedSide> sides = Sides(3);
  for (const int64_t at : {0, 1, 7}) {
    sides[Side::kGpu].fails_at = at;
    for (const std::string policy : {"guided", "elastic", "apriori", "static:100", "static:40"}) {
      SCOPED_TRACE(policy);
      const ScriptedRun run = RunScript(Options(policy, kSf20), sides);
      ExpectCountedOnce(run);
    }
  }
}

// The core that serves the card helps, whatever it keeps the card waiting for: all is done no later
// than with somebody for it who does nothing else.
TEST(MixedSchedule, WhoServesTheCardHelps) {
  for (const double ratio : {1.0, 3.0, 1 / 3.0}) {
    for (const std::string policy : {"guided", "elastic", "apriori"}) {
      SCOPED_TRACE(policy + " " + std::to_string(ratio));
      MixedOptions options = Options(policy, kSf20);
      const ScriptedRun apart = RunScript(options, Sides(ratio));
      options.cpu_lanes = kLanes + 1;
      const ScriptedRun run = RunScript(options, Sides(ratio), Served::kByACore);
      ExpectCountedOnce(run);
      EXPECT_LE(run.milliseconds, 1.01 * apart.milliseconds);
      EXPECT_GT(run.units_served, 0);
      EXPECT_LE(run.units_again, kSf20 / 10);
    }
  }
}

TEST(MixedSchedule, WhoServedALostCardIsACore) {
  BySide<ScriptedSide> sides = Sides(3);
  sides[Side::kGpu].fails_at = 0;
  MixedOptions options = Options("guided", kSf20);
  options.cpu_lanes = kLanes + 1;
  const ScriptedRun run = RunScript(options, sides, Served::kByACore);
  ExpectCountedOnce(run);
  EXPECT_EQ(run.units_done[Side::kCpu], kSf20);
  EXPECT_GT(run.units_served, kSf20 / (2 * options.cpu_lanes));
}

TEST(MixedSchedule, AnyNumberOfUnitsIsCountedOnce) {
  for (const int64_t units : {0, 1, 2, 3, 14, 15, 16, 47, 92, 250}) {
    for (const double ratio : {0.02, 1.0, 50.0}) {
      for (const std::string policy : {"guided", "elastic", "apriori", "static:30"}) {
        SCOPED_TRACE(policy + " " + std::to_string(units));
        const ScriptedRun run = RunScript(Options(policy, units), Sides(ratio));
        ExpectCountedOnce(run);
        EXPECT_LE(run.units_again, std::max<int64_t>(kBatchesHeld, units / 10));
      }
    }
  }
}

TEST(MixedSchedule, AStaticSplitIsKept) {
  const ScriptedRun run = RunScript(Options("static:30", 1000), Sides(1));
  EXPECT_EQ(run.units_done[Side::kGpu], 300);
  EXPECT_EQ(run.units_again, 0);
}

TEST(MixedSchedule, CoresWorkWhileTheCardGetsReady) {
  MixedSchedule schedule(WithAFastCard(10));
  // The card is known to be fast, but has taken nothing yet.
  EXPECT_FALSE(schedule.Take(Side::kCpu, 1, 0).empty());
  EXPECT_FALSE(schedule.Take(Side::kGpu, 0, 1).empty());
  EXPECT_TRUE(schedule.Take(Side::kCpu, 2, 1).empty());
}

TEST(MixedSchedule, CoresTakeNeighboursWhileThereIsPlenty) {
  MixedOptions options = Options("guided", kSf20);
  const BySide<ScriptedSide> sides = Sides(1);
  for (const Side side : kSides) options.remembered[side] = sides[side].units_per_ms;
  MixedSchedule schedule(options);
  const Grant first = schedule.Take(Side::kCpu, 1, 0);
  EXPECT_EQ(first.units.size(), 1) << "nobody knows yet what the card does";
  EXPECT_FALSE(schedule.Take(Side::kGpu, 0, 0).empty());
  EXPECT_EQ(schedule.Take(Side::kCpu, 2, 0).units, (UnitRange{kSf20 - 3, kSf20 - 1}));
  EXPECT_EQ(schedule.Take(Side::kCpu, kServingLane, 0).units.size(), 1);
}

TEST(MixedSchedule, WhoServesTheCardKnowsWhenItHasEnough) {
  MixedOptions options = Options("guided", kSf20);
  MixedSchedule unknown(options);
  EXPECT_FALSE(unknown.CardIsProvided(0));  // it has nothing
  unknown.Take(Side::kGpu, 0, 0);
  EXPECT_FALSE(unknown.CardIsProvided(0));  // for how long, nobody knows
  options.remembered[Side::kCpu] = kCpuSpeed / kLanes;
  options.remembered[Side::kGpu] = kCpuSpeed;
  MixedSchedule schedule(options);
  const Grant batch = schedule.Take(Side::kGpu, 0, 0);
  const double end = static_cast<double>(batch.units.size()) / kCpuSpeed;
  const double unit = kLanes / kCpuSpeed;
  EXPECT_TRUE(schedule.CardIsProvided(end - 2.1 * unit));
  EXPECT_FALSE(schedule.CardIsProvided(end - 1.9 * unit));
  schedule.Finish(batch.id, end);
  EXPECT_FALSE(schedule.CardIsProvided(end));
}

// A short one at the end of a fold would cost the card as much beside its rows.
TEST(Policy, TheCardsBatchesOfAFoldAreOfOneSize) {
  const auto policy = MakePolicy({PolicyKind::kElastic}, 250, {});  // 25 of 50 in the first fold
  std::vector<int64_t> sizes;
  for (int i = 0; i < 3; ++i) sizes.push_back(policy->Take(Side::kGpu, 10, {}).size());
  EXPECT_EQ(sizes, (std::vector<int64_t>{9, 8, 8}));
  EXPECT_EQ(policy->Take(Side::kGpu, 10, {}), (UnitRange{50, 59}));
}

TEST(Policy, TextAndBack) {
  for (const std::string text : {"guided", "elastic", "apriori", "static:0", "static:100"}) {
    EXPECT_EQ(ToText(ParsePolicy(text).value()), text);
  }
  for (const std::string text : {"", "static", "static:", "static:101", "static:-1", "static:5x"}) {
    EXPECT_FALSE(ParsePolicy(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace shadowvm::schedule
