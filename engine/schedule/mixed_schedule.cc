// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/mixed_schedule.h"

#include <algorithm>

namespace shadowvm::schedule {
namespace {

// The card's batch is this part of what waits: it shrinks towards the end.
constexpr int64_t kBatchPart = 6;
// Or this part of what it is thought to do of it, once that is known.
constexpr int64_t kOwnPart = 2;
constexpr int64_t kFewUnits = 2;
// What a batch costs the card beside its rows, in milliseconds: near the end that is as much as a
// core's unit.
constexpr double kBatchCost = 0.06;
// Should the card stall, the other side repeats all that it holds, which must stay below a tenth of
// all units; and one batch too many must not be long.
constexpr int64_t kMostBatchPart = 11 * kBatchesHeld;
constexpr int64_t kLeastBatchPart = 48;
// While all that waits takes as long as so many units of a core, it takes several: neighbours
// cost less than others.
constexpr double kPlenty = 8;
constexpr int64_t kUnitsOfPlenty = 2;
// Units that may be begun a second time: one of so many.
constexpr int64_t kAgainPart = 10;
// The card is late when it takes so many times as long as it did.
constexpr double kLate = 1.5;
// A second try must promise to take no more than this part of the time that is left to the first.
constexpr double kWorth = 0.75;
// The card has work for long when it lasts for so many of a core's units.
constexpr double kUnitsAhead = 2;

MixedOptions WithLimits(MixedOptions options) {
  const int64_t units = options.num_units;
  options.most_batch = std::clamp<int64_t>(units / kMostBatchPart, 1, options.most_batch);
  options.least_batch = std::clamp<int64_t>(units / kLeastBatchPart, 1,
                                            std::min(options.least_batch, options.most_batch));
  return options;
}

}  // namespace

MixedSchedule::MixedSchedule(const MixedOptions& options) : options_(WithLimits(options)) {
  speeds_[Side::kCpu] = Speed(options.cpu_lanes, options.remembered[Side::kCpu]);
  speeds_[Side::kGpu] = Speed(1, options.remembered[Side::kGpu]);
  policy_ = MakePolicy(options.policy, options.num_units, speeds_);
  // So that a core's Take, for which others wait, does not move them.
  flights_.reserve(static_cast<size_t>(options.num_units));
}

Grant MixedSchedule::Take(Side side, int lane, double now) {
  if (done() || gave_up_[side]) return {};
  const int64_t most = policy_->num_waiting() > 0 ? MostUnits(side, lane, now) : 0;
  if (most > 0) {
    UnitRange units = policy_->Take(side, most, speeds_);
    if (units.empty() && (balances() || gave_up_[Other(side)])) {
      units = policy_->TakeOver(side, most);
    }
    if (!units.empty()) return Start(side, lane, units, -1, now);
  }
  if (policy_->num_waiting() > 0 || side == Side::kGpu) return {};
  return TakeAgain(lane, now);
}

bool MixedSchedule::can_compare() const {
  if (!balances()) return false;
  // A side that is still getting ready does nothing sooner.
  return std::all_of(kSides.begin(), kSides.end(), [&](Side side) {
    return started_[side] && !gave_up_[side] && speeds_[side].is_known();
  });
}

int64_t MixedSchedule::UnitsHeld(Side side) const {
  int64_t units = 0;
  for (const int64_t grant : held_[side]) units += flights_[grant].units.size();
  return units;
}

double MixedSchedule::Delay(double now) const {
  if (held_[Side::kGpu].empty() || !speeds_[Side::kGpu].is_known()) return 1;
  const Flight& first = flights_[held_[Side::kGpu].front()];
  const double expected = static_cast<double>(first.units.size()) / speeds_[Side::kGpu].of_all();
  const double elapsed = now - std::max(first.begin, gpu_free_);
  return elapsed > kLate * expected ? elapsed / expected : 1;
}

// What is refused to one side is granted to the other, so that the list never stands still: a core
// takes a unit unless the card would be done with all that is left before it, and the card takes
// one unless cores would be.
int64_t MixedSchedule::MostUnits(Side side, int lane, double now) const {
  if (side == Side::kGpu) return BatchUnits(now);
  if (!can_compare()) return 1;
  const Speed& cpu = speeds_[Side::kCpu];
  const int64_t waiting = policy_->num_waiting();
  const double gpu = GpuSpeed(now);
  const double unit_time = 1 / cpu.of_lane();
  const auto left = static_cast<double>(waiting + UnitsHeld(Side::kGpu));
  const bool plenty = static_cast<double>(waiting) / (cpu.of_all() + gpu) > kPlenty * unit_time;
  if (plenty && lane != kServingLane) return kUnitsOfPlenty;
  const bool card_is_sooner = kBatchCost + left / gpu < unit_time && BatchUnits(now) > 0;
  return card_is_sooner ? 0 : 1;
}

int64_t MixedSchedule::BatchUnits(double now) const {
  // Nobody knows yet how long it takes.
  if (balances() && !speeds_[Side::kGpu].is_known()) return options_.least_batch;
  const auto part_of = [&](int64_t units, int64_t part) {
    return std::clamp(units / part, options_.least_batch, options_.most_batch);
  };
  const int64_t waiting = policy_->num_waiting();
  if (!can_compare()) return part_of(waiting, kBatchPart);
  const auto left = static_cast<double>(waiting);
  const auto held = static_cast<double>(UnitsHeld(Side::kGpu));
  const Speed& cpu = speeds_[Side::kCpu];
  const double gpu = GpuSpeed(now);
  const double soonest = kBatchCost + (held + 1) / gpu;
  if (soonest > std::max(1 / cpu.of_lane(), left / cpu.of_all())) return 0;
  // What it can do until both sides are done with all, which is not before a core that takes a unit
  // now is done with it.
  const double both =
      std::max((left + held + gpu * kBatchCost) / (cpu.of_all() + gpu), 1 / cpu.of_lane());
  const auto own = static_cast<int64_t>(gpu * (both - kBatchCost) - held);
  // The last ones are not cut, each would cost as much as its rows; nor worth it when they are few.
  if (own < kOwnPart * options_.least_batch) {
    return own < kFewUnits ? 0 : std::min(own, options_.most_batch);
  }
  return part_of(own, kOwnPart);
}

Grant MixedSchedule::Start(Side side, int lane, UnitRange units, int64_t contest, double now) {
  Flight flight;
  flight.side = side;
  flight.lane = lane;
  flight.units = units;
  flight.contest = contest;
  flight.begin = now;
  const auto id = static_cast<int64_t>(flights_.size());
  flights_.push_back(flight);
  held_[side].push_back(id);
  started_[side] = true;
  return {id, units, contest};
}

Grant MixedSchedule::TakeAgain(int lane, double now) {
  if (open_contest_ < 0) {
    open_contest_ = FindContest(now);
    if (open_contest_ < 0) return {};
    flights_[open_contest_].contested = true;
    flights_[open_contest_].again_left = flights_[open_contest_].units;
  }
  const int64_t contest = open_contest_;
  UnitRange& left = flights_[contest].again_left;
  const UnitRange unit = left.TakeBack(1);
  if (left.empty()) open_contest_ = -1;
  num_again_ += unit.size();
  return Start(Side::kCpu, lane, unit, contest, now);
}

int64_t MixedSchedule::FindContest(double now) {
  if (!lost_by_card_.empty()) {
    const int64_t grant = lost_by_card_.back();
    lost_by_card_.pop_back();
    return grant;
  }
  // The last one ends last.
  const std::vector<int64_t>& held = held_[Side::kGpu];
  const auto found = std::find_if(held.rbegin(), held.rend(),
                                  [&](int64_t grant) { return IsWorthATry(flights_[grant], now); });
  return found == held.rend() ? -1 : *found;
}

bool MixedSchedule::IsWorthATry(const Flight& flight, double now) const {
  if (!balances() || flight.contested) return false;
  const int64_t units = flight.units.size();
  const int64_t most_again = std::max<int64_t>(kBatchesHeld, options_.num_units / kAgainPart);
  if (num_again_ + units > most_again) return false;
  const Speed& cpu = speeds_[Side::kCpu];
  const bool gpu_is_known = speeds_[Side::kGpu].is_known();
  // Where cores never had a unit to measure, the card is tried again when it is late.
  if (!cpu.is_known()) return !gpu_is_known || Delay(now) > 1;
  if (!gpu_is_known) return true;
  const double mine = std::max(1 / cpu.of_lane(), static_cast<double>(units) / cpu.of_all());
  return mine < kWorth * (PredictedEnd(flight, now) - now);
}

// Who is late is thought to need as long again.
double MixedSchedule::PredictedEnd(const Flight& flight, double now) const {
  const std::vector<int64_t>& held = held_[Side::kGpu];
  int64_t units = 0;  // up to the end of this grant
  for (const int64_t before : held) {
    units += flights_[before].units.size();
    if (&flights_[before] == &flight) break;
  }
  const double begin = std::max(flights_[held.front()].begin, gpu_free_);
  return begin + static_cast<double>(units) / GpuSpeed(now) * (Delay(now) > 1 ? 2 : 1);
}

bool MixedSchedule::CardIsProvided(double now) const {
  const std::vector<int64_t>& held = held_[Side::kGpu];
  if (held.empty() || !speeds_[Side::kGpu].is_known() || !speeds_[Side::kCpu].is_known()) {
    return false;
  }
  const double unit_time = 1 / speeds_[Side::kCpu].of_lane();
  return PredictedEnd(flights_[held.back()], now) - now > kUnitsAhead * unit_time;
}

void MixedSchedule::MeasureLane(const Flight& flight, double now) {
  // The card is at one grant at a time.
  const double begin = flight.side == Side::kGpu ? std::max(flight.begin, gpu_free_) : flight.begin;
  speeds_[flight.side].Measure(flight.units.size(), now - begin);
  if (flight.side == Side::kGpu) gpu_free_ = now;
}

Verdict MixedSchedule::Finish(int64_t grant, double now) {
  Flight& flight = flights_[grant];
  MeasureLane(flight, now);
  std::erase(held_[flight.side], grant);
  flight.end = now;
  if (flight.contest >= 0) return FinishSecondTry(&flight);
  if (flight.outcome == Outcome::kLost) return Verdict::kDrop;
  flight.outcome = Outcome::kCounts;
  num_done_ += flight.units.size();
  done_by_[flight.side] += flight.units.size();
  if (!flight.contested) return Verdict::kAdd;
  if (open_contest_ == grant) open_contest_ = -1;
  for (Flight& other : flights_) {
    if (other.contest == grant) other.outcome = Outcome::kLost;
  }
  return Verdict::kAdd;
}

Verdict MixedSchedule::FinishSecondTry(Flight* flight) {
  Flight& first = flights_[flight->contest];
  if (first.outcome == Outcome::kCounts) {
    flight->outcome = Outcome::kLost;
    return Verdict::kDrop;
  }
  flight->outcome = Outcome::kCounts;
  first.again_done += flight->units.size();
  if (first.again_done == first.units.size()) {
    first.outcome = Outcome::kLost;
    num_done_ += first.units.size();
    done_by_[flight->side] += first.units.size();
  }
  return Verdict::kHold;
}

void MixedSchedule::Fail(int64_t grant, double now) {
  Flight& flight = flights_[grant];
  std::erase(held_[Side::kGpu], grant);
  flight.end = now;
  gpu_free_ = now;
  // Cores may have been first.
  if (flight.outcome != Outcome::kRunning) return;
  flight.outcome = Outcome::kFailed;
  if (!flight.contested) lost_by_card_.push_back(grant);
}

void MixedSchedule::GiveUp(Side side) { gave_up_[side] = true; }

}  // namespace shadowvm::schedule
