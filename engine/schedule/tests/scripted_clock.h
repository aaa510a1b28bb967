// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <functional>
#include <vector>

#include "engine/schedule/mixed_schedule.h"

namespace shadowvm::schedule {

// A side whose work takes as long as a script says. Time stands still but for what is scripted, so
// a run comes out the same every time.
struct ScriptedSide {
  double units_per_ms = 1;  // of one lane
  double launch_ms = 0;     // before each grant
  // Factor on a grant's time, by the grant's number on this side and by when it begins.
  std::function<double(int64_t number, double begin)> slowness = {};
  int64_t fails_at = -1;  // the number of the grant that fails; the side gives up with it
};

struct ScriptedRun {
  double milliseconds = 0;  // until all units were done
  int64_t units_again = 0;
  BySide<int64_t> units_done;
  BySide<int64_t> grants;
  int64_t units_served = 0;        // begun by the core that serves the card
  std::vector<int> times_counted;  // by unit
};

// Who looks after the card: somebody who does nothing else, or the last one of the cores between
// its units, during which the card gets nothing and nobody sees what it has done.
enum class Served : uint8_t { kBySomebodyElse, kByACore };

// Runs a schedule to its end: cores one grant at a time, the card as many as it holds, one after
// the other.
ScriptedRun RunScript(const MixedOptions& options, const BySide<ScriptedSide>& sides,
                      Served served = Served::kBySomebodyElse);

}  // namespace shadowvm::schedule
