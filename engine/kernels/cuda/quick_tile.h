// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The tile of a warp in quick code: narrow from the start, 32 rows that lie together. There is no
// queue, so every step sees lanes whose row is gone, and nothing is written for many rows at once.
// Included by tile.h in place of its own tile.

namespace shadowvm::kernels {

struct Tile {
  static constexpr bool wide = false;

  u32 count = 0;  // of the warp: lanes with a row alive
  u32 live = 0;   // of the lane: whether its row is
  u32 row = 0;    // of the lane: its row's id, one that is there even where none is alive
  u32 next, stride;

  SVM_MEMBER explicit Tile(const DeviceCall* call) {
    const u32 warps = block_threads() / 32;
    next = (block_number() - call->block->first_block) * warps + thread_in_block() / 32;
    stride = call->block->num_blocks * warps;
  }
};

// Warps take tiles in turns; false when there is none left.
SVM_INLINE bool next_tile(Tile& t, const DeviceCall* call) {
  constexpr u32 kTiles = (1u << kSegmentShift) / 32;  // of a segment
  const LaunchBlock* const block = call->block;
  for (; t.next < block->end_tile * (kWideTileRows / 32); t.next += t.stride) {
    const u32 segment = t.next / kTiles;
    const u32 first = t.next % kTiles * 32;
    const SegmentRows rows = load_rows(block, segment);
    if (first >= rows.row_end || first + 32 <= rows.row_begin) continue;
    const u32 mine = first + lane_number();
    const bool inside = mine >= rows.row_begin && mine < rows.row_end;
    t.row = segment << kSegmentShift | (inside ? mine : rows.row_begin);
    t.next += t.stride;
    take_live(t, inside);
    return true;
  }
  return false;
}

// After the steps of a tile: true when no row is left.
SVM_INLINE bool end_steps(const Tile& t) { return t.count == 0; }

}  // namespace shadowvm::kernels
