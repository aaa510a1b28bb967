// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The tile of a warp in quick code: narrow from the start, 32 rows that lie together. There is no
// queue, so every step sees lanes whose row is gone, and nothing is written for many rows at once.
// The frame goes from tile to tile, and a sentence is of one: a loop in every sentence of a kernel
// would be compiled for each. Included by tile.h in place of its own tile.

namespace shadowvm::kernels {

struct Tile : LaneRow {
  static constexpr bool wide = false;

  u32 count = 0;  // of the warp: lanes with a row alive, from the end of the steps on
  bool next = true;

  SVM_MEMBER explicit Tile(const DeviceCall* call) : LaneRow(call->lane) {}
};

SVM_INLINE bool next_tile(Tile& t, const DeviceCall*) {
  const bool next = t.next;
  t.next = false;
  return next;
}

// Nobody asks how many are left before the steps are over.
SVM_INLINE void take_live(Tile& t, u32 live) { t.live = live; }

// After the steps of a tile: true when no row is left.
SVM_INLINE bool end_steps(Tile& t) {
  t.count = count_bits(warp_ballot(t.live != 0));
  return t.count == 0;
}

// Warps take tiles in turns.
struct Turns {
  u32 next, stride;
  SVM_MEMBER explicit Turns(const LaunchBlock* block) {
    const u32 warps = block_threads() / 32;
    next = (block_number() - block->first_block) * warps + thread_in_block() / 32;
    stride = block->num_blocks * warps;
  }
};

// Gives the call's lane its row of the next tile; false when there is none left.
SVM_INLINE bool take_turn(Turns& turns, DeviceCall& call) {
  constexpr u32 kTiles = (1u << kSegmentShift) / 32;  // of a segment
  const LaunchBlock* const block = call.block;
  SVM_ROLLED while (turns.next < block->end_tile * (kWideTileRows / 32)) {
    const u32 segment = turns.next / kTiles;
    const u32 first = turns.next % kTiles * 32;
    const SegmentRows rows = load_rows(block, segment);
    turns.next += turns.stride;
    if (first >= rows.row_end || first + 32 <= rows.row_begin) continue;
    const u32 mine = first + lane_number();
    const bool inside = mine >= rows.row_begin && mine < rows.row_end;
    call.lane = {inside, segment << kSegmentShift | (inside ? mine : rows.row_begin)};
    return true;
  }
  return false;
}

#define SVM_EACH_TURN(call)                                \
  for (::shadowvm::kernels::Turns svm_turns((call).block); \
       ::shadowvm::kernels::take_turn(svm_turns, call);)

}  // namespace shadowvm::kernels
