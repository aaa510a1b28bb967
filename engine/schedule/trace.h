// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/schedule/mixed_schedule.h"

namespace shadowvm::schedule {

// Who took which units of a pipeline when.
struct Trace {
  struct Event {
    Side side = Side::kCpu;
    int lane = 0;
    UnitRange units;
    double begin_ms = 0;
    double end_ms = 0;
    bool again = false;   // another lane was at these units before
    bool counts = false;  // else another lane was first, or it failed
  };

  std::string title;
  std::string policy;
  double milliseconds = 0;
  int64_t num_units = 0;
  int64_t units_again = 0;
  std::vector<Event> events;
};

// Of a schedule that is done; 'now' ends what lanes are still at.
Trace TraceOf(const MixedSchedule& schedule, double now);

}  // namespace shadowvm::schedule
