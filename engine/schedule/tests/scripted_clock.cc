// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/tests/scripted_clock.h"

#include <algorithm>
#include <deque>
#include <map>
#include <ranges>
#include <utility>

namespace shadowvm::schedule {
namespace {

class Script {
 public:
  Script(const MixedOptions& options, const BySide<ScriptedSide>& sides, Served served)
      : options_(options),
        sides_(sides),
        serving_(served == Served::kByACore ? options.cpu_lanes : -1),
        schedule_(options),
        lanes_(options.cpu_lanes + 1) {
    run_.times_counted.resize(static_cast<size_t>(options.num_units));
  }

  ScriptedRun Run() {
    while (!schedule_.done()) {
      for (int lane = 0; lane < static_cast<int>(lanes_.size()); ++lane) Fill(lane);
      Advance();
    }
    for (const auto& [contest, units] : held_) {
      if (schedule_.Won(contest)) Count(units);
    }
    run_.milliseconds = now_;
    run_.units_again = schedule_.units_again();
    for (const Side side : kSides) run_.units_done[side] = schedule_.units_done(side);
    run_.grants = num_grants_;
    return run_;
  }

 private:
  struct Work {
    Grant grant;
    double end = 0;
    bool fails = false;
  };
  // Lane 0 is the card.
  static Side SideOf(int lane) { return lane == 0 ? Side::kGpu : Side::kCpu; }

  bool IsServed() const { return serving_ < 0 || lanes_[serving_].empty(); }

  void Fill(int lane) {
    const Side side = SideOf(lane);
    if (side == Side::kGpu && !IsServed()) return;
    const bool serves = lane == serving_;
    const size_t most = side == Side::kGpu ? kBatchesHeld : 1;
    while (lanes_[lane].size() < most) {
      if (serves && !lost_card_ && !schedule_.CardIsProvided(now_)) return;
      const Grant grant = schedule_.Take(side, serves ? kServingLane : lane, now_);
      if (grant.empty()) return;
      if (serves) run_.units_served += grant.units.size();
      const ScriptedSide& script = sides_[side];
      const int64_t number = num_grants_[side]++;
      const double begin = lanes_[lane].empty() ? now_ : lanes_[lane].back().end;
      double time =
          script.launch_ms + static_cast<double>(grant.units.size()) / script.units_per_ms;
      if (script.slowness) time *= script.slowness(number, begin);
      lanes_[lane].push_back({grant, begin + time, number == script.fails_at});
    }
  }

  // To the next end of some work, but no further than idle lanes wait before they ask again. In a
  // static split there is nothing to ask for.
  void Advance() {
    const bool ask_again = options_.policy.kind != PolicyKind::kStatic;
    double next = now_ + (ask_again ? 0.05 : 1e9);
    for (const auto& lane : lanes_) {
      if (!lane.empty() && IsSeen(lane)) next = std::min(next, std::max(lane.front().end, now_));
    }
    now_ = next;
    // The card's last: who serves it looks after it between units.
    for (auto& lane : std::views::reverse(lanes_)) {
      while (!lane.empty() && lane.front().end <= now_ && IsSeen(lane)) {
        const Work work = lane.front();
        lane.pop_front();
        End(work);
      }
    }
  }

  bool IsSeen(const std::deque<Work>& lane) const { return &lane != &lanes_[0] || IsServed(); }

  void End(const Work& work) {
    if (work.fails) {
      lost_card_ = true;
      schedule_.Fail(work.grant.id, now_);
      for (const Work& lost : lanes_[0]) schedule_.Fail(lost.grant.id, now_);
      lanes_[0].clear();
      schedule_.GiveUp(Side::kGpu);
      return;
    }
    switch (schedule_.Finish(work.grant.id, now_)) {
      case Verdict::kAdd:
        Count({work.grant.units});
        break;
      case Verdict::kHold:
        held_[work.grant.contest].push_back(work.grant.units);
        break;
      case Verdict::kDrop:
        break;
    }
  }

  void Count(const std::vector<UnitRange>& ranges) {
    for (const UnitRange& units : ranges) {
      for (int64_t unit = units.begin; unit < units.end; ++unit) ++run_.times_counted[unit];
    }
  }

  const MixedOptions& options_;
  const BySide<ScriptedSide>& sides_;
  const int serving_;  // the lane that serves the card; -1: none of them
  MixedSchedule schedule_;
  std::vector<std::deque<Work>> lanes_;
  BySide<int64_t> num_grants_;
  std::map<int64_t, std::vector<UnitRange>> held_;  // by contest
  bool lost_card_ = false;
  double now_ = 0;
  ScriptedRun run_;
};

}  // namespace

ScriptedRun RunScript(const MixedOptions& options, const BySide<ScriptedSide>& sides,
                      Served served) {
  return Script(options, sides, served).Run();
}

}  // namespace shadowvm::schedule
