// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Steps that narrow a tile: filters. Each is branch-free over rows, in two phases: look every row
// up into a byte lane without a carried dependency, then compact the positions whose lane is set. A
// null never passes.

#include "engine/kernels/cpu/columns.h"

namespace shadowvm::kernels {

inline constexpr u32 kLaneBytes = kTileRows + kBlockRows;

// Appends to the 'kept' positions those of the block of rows at j whose bit is set.
SVM_INLINE u32 put_block(u16* selection, u32 kept, u32 j, bool all, u64 mask) {
  return all ? put_positions(selection + kept, j, mask)
             : put_selected(selection + kept, selection + j, mask);
}

// Compacts 'count' positions (all of them, or those of the selection) by bit 0 of their lanes, each
// inverted when 'flip' is ~0. Returns how many are left.
SVM_FUNCTION u32 compact_lanes(u16* selection, u32 count, bool all, const u8* lane, u64 flip) {
  u32 kept = 0;
  for (u32 j = 0; j < count; j += kBlockRows) {
    u64 mask = lane_mask(lane + j) ^ flip;
    if (count - j < kBlockRows) mask &= (u64(1) << (count - j)) - 1;
    kept += put_block(selection, kept, j, all, mask);
  }
  return kept;
}

// The selection now holds 'kept' positions.
template <class T>
SVM_INLINE void take_selection(T& t, u32 kept) {
  t.all = t.all && kept == t.count;
  t.count = kept;
}

template <class T>
SVM_INLINE void keep_lanes(T& t, const u8* lane, u64 flip = 0) {
  take_selection(t, compact_lanes(t.selection, t.count, t.all, lane, flip));
}

// lane[j] = look(row of j) for every row alive, eight at a time.
template <class T, class Look>
SVM_INLINE void look_up(const T& t, u8* lane, const Look& look) {
  const u32 count = t.count;
  u32 j = 0;
#define SVM_LOOK(n) lane[j + n] = look(row(n))
#define SVM_LOOK_8                                                                           \
  SVM_LOOK(0), SVM_LOOK(1), SVM_LOOK(2), SVM_LOOK(3), SVM_LOOK(4), SVM_LOOK(5), SVM_LOOK(6), \
      SVM_LOOK(7)
  if (t.all) {
    const u32 base = t.source(0);
#define row(n) (base + j + n)
    for (; j + 8 <= count; j += 8) SVM_LOOK_8;
    for (; j < count; ++j) SVM_LOOK(0);
#undef row
    return;
  }
#define row(n) t.source(t.selection[j + n])
  for (; j + 8 <= count; j += 8) SVM_LOOK_8;
  for (; j < count; ++j) SVM_LOOK(0);
#undef row
#undef SVM_LOOK_8
#undef SVM_LOOK
}

template <class T, class Look>
SVM_INLINE void keep_where(T& t, const Look& look, u64 flip = 0) {
  u8 lane[kLaneBytes];
  look_up(t, lane, look);
  keep_lanes(t, lane, flip);
}

// A general filter, row by row: Keeper keep(t); SVM_EACH_ROW(t) { keep.row(j, …); } keep.done();
// The tile must be settled for SVM_EACH_ROW, which the constructor does. 'j' is the row's number.
template <class T>
struct Keeper {
  T& tile;
  u8 lane[kLaneBytes];
  SVM_MEMBER explicit Keeper(T& t) : tile(t) { settle(t); }
  SVM_MEMBER void row(u32 j, bool keep) { lane[j] = keep; }
  SVM_MEMBER void done() { keep_lanes(tile, lane); }
};

struct BitLook {
  const u64* bits;
  SVM_MEMBER u8 operator()(u32 i) const { return u8(bits[i >> 6] >> (i & 63)); }
};

// Keeps the rows whose bit is set (flip = 0) or clear (flip = ~0).
template <class T>
SVM_VERB void keep_bits(T& t, const u64* bits, u64 flip) {
  keep_where(t, BitLook{bits}, flip);
}

// Keeps the rows that are not null.
template <class T>
SVM_INLINE void keep_valid(T& t, const AnyColumn& column) {
  if (column.validity != nullptr) keep_bits(t, column.validity, 0);
}

// Keeps the rows that are null.
template <class T>
SVM_INLINE void keep_null(T& t, const AnyColumn& column) {
  if (column.validity == nullptr) return take_selection(t, 0);
  keep_bits(t, column.validity, ~u64(0));
}

template <class U>
struct RangeLook {
  const U* data;
  U low, length;
  SVM_MEMBER u8 operator()(u32 i) const { return U(data[i] - low) <= length; }
};

// The first filter of a tile: whole blocks by SIMD masks.
template <class U>
SVM_VERB u32 select_range(u16* selection, const U* values, u32 count, U low, U length) {
  u32 kept = 0, p = 0;
  for (; p + kBlockRows <= count; p += kBlockRows)
    kept += put_positions(selection + kept, p, range_mask(values + p, low, length));
  u64 mask = 0;
  for (u32 r = 0; p + r < count; ++r) mask |= u64(U(values[p + r] - low) <= length) << r;
  return kept + put_positions(selection + kept, p, mask);
}

// Keeps the rows whose offset lies in the range. A bound that offsets of this width cannot hold is
// cut to it.
template <class T, class U>
SVM_VERB void keep_range(T& t, const Column<U>& column, const RangeView& range) {
  constexpr u64 kMost = U(~U(0));
  const U low = U(range.low);
  const U length = U(range.length < kMost - low ? range.length : kMost - low);
  if (range.low > kMost) return take_selection(t, 0);
  if (t.all) {
    take_selection(t, select_range(t.selection, column.data + t.source(0), t.count, low, length));
  } else {
    keep_where(t, RangeLook<U>{column.data, low, length});
  }
  keep_valid(t, column);
}

struct PassLook {
  const u32* codes;
  const u8* pass;
  SVM_MEMBER u8 operator()(u32 i) const { return pass[codes[i]]; }
};

// Keeps the rows whose string passes a predicate evaluated over the dictionary.
template <class T>
SVM_VERB void keep_pass(T& t, const CodeColumn& column, const PassView& view) {
  keep_where(t, PassLook{column.data, view.pass});
  keep_valid(t, column);
}

}  // namespace shadowvm::kernels
