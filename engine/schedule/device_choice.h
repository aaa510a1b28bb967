// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>

#include "engine/schedule/mode.h"
#include "engine/schedule/side.h"

namespace shadowvm::schedule {

// What a machine does when nothing is remembered of a kernel: rough, and replaced by what its first
// runs show. Bytes are those of the columns that the kernel reads, as they lie in memory.
struct MachineModel {
  double core_bytes_per_ms = 3e6;
  double link_bytes_per_ms = 40e6;     // the host's memory, read by the card
  double device_bytes_per_ms = 2.5e9;  // the card's own
  // Before the card has anything to show: tables of joins brought over, a launch, groups back.
  double gpu_start_ms = 0.1;
  // The same beside cores, with batches; and a tail at the end.
  double mixed_start_ms = 0.2;
};

// Where so much of its rows is in the card's memory, a pipeline is the card's: cores could only
// slow it down.
inline constexpr double kResidentShare = 0.9;

struct PipelineFacts {
  std::string why_not_gpu;  // the card cannot run it; empty: it can
  int64_t rows = 0;
  int64_t bytes = 0;
  bool in_memory = true;    // else somebody has to read files first, and cores do that
  double device_share = 0;  // of the bytes that lie in the card's memory
  bool only_scans = false;  // rows leave as they are but for filters: nothing to win on a card
  int cores = 1;
  BySide<double> remembered;  // rows a millisecond and lane; 0: nothing
};

// Where a pipeline runs in mode auto, and why.
struct DeviceChoice {
  Mode mode = Mode::kCpu;
  BySide<double> predicted_ms;  // of a side alone; 0: it is out of question
  double predicted_mixed_ms = 0;
  std::string reason;

  // Of the mode that was chosen, or of another one; not of auto.
  double predicted(Mode of) const;
};

// The same choice, for the CPU.
DeviceChoice OnCpu(DeviceChoice choice, std::string reason);

// What each side is thought to take, and no choice: for who was told where to run.
DeviceChoice Predict(const PipelineFacts& facts, const MachineModel& model = {});
DeviceChoice ChooseDevice(const PipelineFacts& facts, const MachineModel& model = {});

}  // namespace shadowvm::schedule
