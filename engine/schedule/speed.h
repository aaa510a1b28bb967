// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/schedule/side.h"

namespace shadowvm::schedule {

// How fast a side's lanes are: what was measured lately, or before that what was remembered. A lane
// is a core, or the card.
class Speed {
 public:
  Speed() = default;
  // 'remembered' in units a millisecond and lane; 0: nothing is known.
  Speed(int lanes, double remembered) : lanes_(lanes), remembered_(remembered) {}

  // A lane was busy with 'units' for that long. Older findings fade, because a side's speed may
  // change while it runs.
  void Measure(int64_t units, double milliseconds) {
    constexpr double kFade = 0.95;
    units_ = units_ * kFade + static_cast<double>(units);
    milliseconds_ = milliseconds_ * kFade + milliseconds;
  }

  int lanes() const { return lanes_; }
  bool is_known() const { return of_lane() > 0; }
  bool is_measured() const { return milliseconds_ > 0; }
  double of_lane() const { return is_measured() ? units_ / milliseconds_ : remembered_; }
  double of_all() const { return of_lane() * lanes_; }

 private:
  int lanes_ = 1;
  double remembered_ = 0;
  double units_ = 0;
  double milliseconds_ = 0;
};

using Speeds = BySide<Speed>;

// The card's share of the work when both sides are to end together; half where one is not known.
inline double GpuShare(const Speeds& speeds) {
  const double cpu = speeds[Side::kCpu].of_all();
  const double gpu = speeds[Side::kGpu].of_all();
  return cpu > 0 && gpu > 0 ? gpu / (cpu + gpu) : 0.5;
}

}  // namespace shadowvm::schedule
