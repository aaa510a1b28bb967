// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The tile: the rows a kernel works on at once, and which of them are still alive.

#include "engine/kernels/cpu/simd.h"

namespace shadowvm::kernels {

// 'rows' rows of the segment from 'base' on. While 'all' is set every row is alive and the
// selection is not written; else selection[0 … count) holds the positions alive, ascending.
struct Tile {
  static constexpr bool kContiguous = true;  // source rows follow one another

  u32 base;
  u32 rows = 0;
  u32 count = 0;
  bool all = true;
  alignas(64) u16 selection[kTileRows + kBlockRows];

  SVM_MEMBER explicit Tile(u32 first_row) : base(first_row) {}
  // From positions to rows of the segment, held in registers by loops whose stores could change a
  // tile.
  struct Sources {
    u32 base;
    SVM_MEMBER u32 operator[](u32 p) const { return base + p; }
  };
  SVM_MEMBER Sources sources() const { return Sources{base}; }
  // The row of the segment at position p.
  SVM_MEMBER u32 source(u32 p) const { return base + p; }
};

// Moves to the next tile; false at the end of the rows, after an error, and when the query is
// cancelled.
template <class T>
SVM_VERB bool next_tile(T& t, const KernelCall* call) {
  t.base += t.rows;
  if (t.base >= call->row_end || call->error != 0) return false;
  if (call->cancelled != nullptr && *call->cancelled != 0) return false;
  const u32 left = call->row_end - t.base;
  t.rows = left < kTileRows ? left : kTileRows;
  t.count = t.rows;
  t.all = true;
  return true;
}

// Writes the selection of a tile of which every row is alive, so that loops over rows need not ask.
SVM_FUNCTION void write_selection(u16* selection, u32 count) {
  for (u32 p = 0; p < count; p += kBlockRows) put_positions(selection + p, p, ~u64(0));
}
template <class T>
SVM_VERB void settle(T& t) {
  if constexpr (T::kContiguous) {
    if (t.all) write_selection(t.selection, t.count);
    t.all = false;
  }
}

// After the steps: true when the sink has nothing to do, because no row is left or the call only
// measures.
template <class T>
SVM_VERB bool end_steps(T& t, const KernelCall* call) {
  if (call->survivors != nullptr) {
    *call->survivors += t.count;
    return true;
  }
  if (t.count == 0) return true;
  settle(t);
  return false;
}

// for each tile t of the call { … }
#define SVM_FOR_EACH_TILE(t, call) for (Tile t((call)->row_begin); next_tile(t, call);)

// for each step number, in the call's order, while rows are left { switch (step) … }
#define SVM_FOR_EACH_STEP(step, t, call)                                                     \
  for ([[maybe_unused]] u32 svm_at = 0, step = 0;                                            \
       svm_at < (call)->num_steps && (t).count != 0 && (step = (call)->order[svm_at], true); \
       ++svm_at)

// Leaves the tile when its sink has nothing to do; else every row alive is in the selection from
// here on.
#define SVM_END_STEPS(t, call) \
  if (end_steps(t, call)) continue

// for each row alive: j its number, p its position in the tile, i its row in the segment. The tile
// is settled.
#define SVM_EACH_ROW(t)                                                 \
  for ([[maybe_unused]] u32 j = 0, p = 0, i = 0, svm_count = (t).count; \
       j < svm_count && (p = (t).selection[j], i = (t).source(p), true); ++j)

}  // namespace shadowvm::kernels
