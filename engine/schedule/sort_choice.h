// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>

#include "engine/schedule/device_choice.h"

namespace shadowvm::schedule {

// What a sort takes before any was seen. The card's figures are argued, but for what the host does
// beside it, and meant to be too high rather than too low: a sort that moves there by mistake costs
// more than one that stays.
struct SortModel {
  double core_key_ns = 5;      // a row
  double core_digit_ns = 3;    // a row and digit
  double core_merge_ns = 8;    // a row: runs are merged by ever fewer workers, the last by one
  double core_select_ns = 8;   // a row, to find those of a top-n
  double core_compare_ns = 3;  // a row of these, for each time that they are halved
  // Over the link for each row: its key goes, its number comes back. The host's memory is not
  // pinned, which leaves a fifth of the 50 GB/s that a card of today has.
  double link_bytes = 12;
  double link_bytes_per_ms = 10e6;
  // In the card's memory for each row and digit: its key is read to be counted, then key and number
  // are read and written. What is written lies scattered, so no more than a quarter of what the
  // memory can do (4.8 TB/s) is counted on.
  double pass_bytes = 32;
  double device_bytes_per_ms = 1.2e9;
  double pass_ms = 0.04;   // three launches of a digit
  double start_ms = 0.15;  // before and after them
  // A row, on the host: what an H200 with 16 cores took for six million rows beside all that.
  double host_ns = 2.5;
};

struct SortFacts {
  std::string why_not_gpu;  // the card cannot, or ought not to; empty: it can
  int64_t rows = 0;
  int64_t wanted = 0;  // of them, from the first on
  int key_bits = 64;   // in which keys differ
  int cores = 1;
  BySide<double> remembered;  // rows a millisecond: of one core, of the card with its copies
};

// Where rows that lie in the host's memory are sorted, and why: one side or the other. The time is
// that of finding the order.
DeviceChoice ChooseSort(const SortFacts& facts, const SortModel& model = {});

}  // namespace shadowvm::schedule
