// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>

#include "engine/schedule/device_choice.h"

namespace shadowvm::schedule {

// What it takes to enter a join's build rows into a table by hash, before any were seen. Figures of
// cores are argued; those of the card are an H200's, and rather too high than too low, as SortModel
// has them.
struct FillModel {
  double core_row_ns = 100;  // a row: its slot, and the key it meets there, come from afar
  double core_scan_ns = 1;   // a row for each core: all of them go through all hashes
  // The way of keys to the card, and of slots and chains back, to memory that is not pinned.
  double link_bytes_per_ms = 10e6;
  double card_row_ns = 0.2;  // of a key of few rows; 1.9 where each has a thousand
  double start_ms = 0.2;     // before and after
};

struct FillFacts {
  std::string why_not_gpu;  // the card cannot, or ought not to; empty: it can
  int64_t rows = 0;
  int64_t link_bytes = 0;  // to the card and back
  int cores = 1;
  BySide<double> remembered;  // rows a millisecond: of one core, of the card with its copies
};

// Who enters rows that lie in the host's memory, and why: one side or the other.
DeviceChoice ChooseFill(const FillFacts& facts, const FillModel& model = {});

}  // namespace shadowvm::schedule
