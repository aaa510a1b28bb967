// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/trace.h"

namespace shadowvm::schedule {

Trace TraceOf(const MixedSchedule& schedule, double now) {
  Trace trace;
  trace.policy = ToText(schedule.options().policy);
  trace.milliseconds = now;
  trace.num_units = schedule.options().num_units;
  trace.units_again = schedule.units_again();
  for (const MixedSchedule::Flight& flight : schedule.flights()) {
    Trace::Event event;
    event.side = flight.side;
    event.lane = flight.lane;
    event.units = flight.units;
    event.begin_ms = flight.begin;
    event.end_ms = flight.end < 0 ? now : flight.end;
    event.again = flight.contest >= 0;
    event.counts = flight.outcome == MixedSchedule::Outcome::kCounts;
    trace.events.push_back(event);
  }
  return trace;
}

}  // namespace shadowvm::schedule
