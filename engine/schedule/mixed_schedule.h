// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/schedule/policy.h"
#include "engine/schedule/side.h"
#include "engine/schedule/speed.h"

namespace shadowvm::schedule {

struct MixedOptions {
  PolicyChoice policy;
  int64_t num_units = 0;
  int cpu_lanes = 1;
  // Units of the card's batches are within these.
  int64_t least_batch = 16;
  int64_t most_batch = 128;
  // Remembered from earlier runs, in units a millisecond and lane; 0: nothing is known.
  BySide<double> remembered;
};

// The core that serves the card, too: it does one unit at a time, and looks after the card between
// them.
inline constexpr int kServingLane = 0;

// Batches that the card holds at a time: one at work, one that begins where that one leaves
// processors idle, and one behind them, because those two may end together.
inline constexpr int kBatchesHeld = 3;

// What a lane is to work on.
struct Grant {
  int64_t id = -1;  // -1: nothing, for now
  UnitRange units;
  // The card's grant whose units these are a part of, if this is a core's second try at them. What
  // was found for one contest may be kept together, until it is known whether it counts.
  int64_t contest = -1;

  bool empty() const { return id < 0; }
};

enum class Verdict : uint8_t {
  kAdd,   // the result counts
  kHold,  // it counts if the contest is won in the end
  kDrop,  // another lane was first
};

// Who works on which units of one list, so that both sides end together and every unit counts
// once. A policy says which units a side takes. This class sizes the card's batches, keeps a side
// from what the other would have done sooner, and balances: a side whose queue is dry takes over
// what the other has not begun, and when there is nothing of that either cores work once more on
// what the card is at, if that promises to be sooner. The first result counts. Cores' units are not
// tried again: who asked has to wait for a core, and need not wait for the card.
//
// It has no clock and no threads: who calls says what time it is, in milliseconds from the start,
// and lets in one caller at a time.
class MixedSchedule {
 public:
  explicit MixedSchedule(const MixedOptions& options);

  // What a lane that has nothing to do takes on. Nothing: ask again after a while, until done. The
  // card's one lane may hold several grants, and works on them one after the other.
  Grant Take(Side side, int lane, double now);
  // The lane is done with a grant.
  Verdict Finish(int64_t grant, double now);
  // The card's work on a grant is lost: cores do it.
  void Fail(int64_t grant, double now);
  // The side takes nothing any longer; the other does what is left.
  void GiveUp(Side side);

  // Whether the card has work for so long that who serves it can do a core's unit meanwhile.
  bool CardIsProvided(double now) const;

  // There are units that nobody has taken on.
  bool has_waiting() const { return policy_->num_waiting() > 0; }
  // All units have a result that counts.
  bool done() const { return num_done_ == options_.num_units; }
  // Whether what was held for a contest counts. Once all is done.
  bool Won(int64_t contest) const { return flights_[contest].outcome == Outcome::kLost; }

  // What became of a grant.
  enum class Outcome : uint8_t {
    kRunning,
    kCounts,
    kLost,    // another lane was first
    kFailed,  // and another lane has to do it
  };
  struct Flight {
    Side side = Side::kCpu;
    int lane = 0;
    UnitRange units;
    int64_t contest = -1;
    double begin = 0;
    double end = -1;  // -1: not finished
    Outcome outcome = Outcome::kRunning;
    // Units that cores have not begun a second time, and how many they have done.
    bool contested = false;
    UnitRange again_left;
    int64_t again_done = 0;
  };
  // All grants there were, by id.
  const std::vector<Flight>& flights() const { return flights_; }
  const MixedOptions& options() const { return options_; }
  const Speeds& speeds() const { return speeds_; }
  int64_t units_done(Side side) const { return done_by_[side]; }
  // Units that were begun a second time.
  int64_t units_again() const { return num_again_; }

 private:
  bool balances() const { return options_.policy.kind != PolicyKind::kStatic; }
  // Whether what the sides can do in the same time may be compared.
  bool can_compare() const;
  // Most units that a lane may take of those that wait.
  int64_t MostUnits(Side side, int lane, double now) const;
  int64_t BatchUnits(double now) const;
  int64_t UnitsHeld(Side side) const;
  // How many times as long as expected the card has been at its first grant; 1 while it is in time.
  double Delay(double now) const;
  double GpuSpeed(double now) const { return speeds_[Side::kGpu].of_all() / Delay(now); }

  Grant Start(Side side, int lane, UnitRange units, int64_t contest, double now);
  Grant TakeAgain(int lane, double now);
  // The card's grant that is most worth a second try; -1: none.
  int64_t FindContest(double now);
  bool IsWorthATry(const Flight& flight, double now) const;
  // Of one of the card's that are held.
  double PredictedEnd(const Flight& flight, double now) const;
  void MeasureLane(const Flight& flight, double now);
  Verdict FinishSecondTry(Flight* flight);

  const MixedOptions options_;
  Speeds speeds_;
  std::unique_ptr<Policy> policy_;
  std::vector<Flight> flights_;
  BySide<std::vector<int64_t>> held_;  // by lanes, in the order of their taking
  int64_t open_contest_ = -1;          // with units that nobody has begun a second time; -1: none
  std::vector<int64_t> lost_by_card_;  // failed, and nobody has begun them a second time
  BySide<bool> started_;
  BySide<bool> gave_up_;
  BySide<int64_t> done_by_;
  double gpu_free_ = 0;  // when the card's last grant ended
  int64_t num_done_ = 0;
  int64_t num_again_ = 0;
};

}  // namespace shadowvm::schedule
