// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Steps that narrow a tile: filters. Wide, a lane loads its rows 16 bytes at a time where any of a
// group is alive; narrow, it loads its one row. A null never passes.

#include "engine/kernels/cuda/tile.h"

namespace shadowvm::kernels {

// A lane's rows of a wide tile. Groups without a row alive are not read.
template <class U>
struct LaneOffsets {
  U offset[kLaneRows];
};

template <class U>
SVM_INLINE void load_group(const U* from, U* to) {
  if constexpr (sizeof(U) == 1) {
    const u64 words = stream_words2(from);
    SVM_UNROLL for (u32 r = 0; r < kGroupRows; ++r) to[r] = U(words >> (8 * r));
  } else {
    constexpr u32 kPerLoad = 16 / sizeof(U);
    SVM_UNROLL for (u32 part = 0; part < kGroupRows; part += kPerLoad) {
      const Words4 words = stream_words4(from + part);
      SVM_UNROLL for (u32 r = 0; r < kPerLoad; ++r) {
        if constexpr (sizeof(U) == 2) to[part + r] = U(words.word[r / 2] >> (16 * (r % 2)));
        if constexpr (sizeof(U) == 4) to[part + r] = words.word[r];
        if constexpr (sizeof(U) == 8)
          to[part + r] = u64(words.word[2 * r + 1]) << 32 | words.word[2 * r];
      }
    }
  }
}

template <class U>
SVM_INLINE void load_rows(const U* from, u32 live, LaneOffsets<U>& rows) {
  SVM_UNROLL for (u32 k = 0; k < kLaneGroups; ++k) {
    const bool any = live >> (k * kGroupRows) & ((1u << kGroupRows) - 1);
    SVM_UNROLL for (u32 r = 0; r < kGroupRows; ++r) rows.offset[k * kGroupRows + r] = 0;
    if (any) load_group(from + k * 32 * kGroupRows, rows.offset + k * kGroupRows);
  }
}

// Behind a scan's last row, and before its first, a group holds bytes that nobody has checked. A look
// that goes by them could leave its table; 0 is inside every frame and a code of every dictionary.
template <class U>
SVM_INLINE void clear_outside(u32 inside, LaneOffsets<U>& rows) {
  if (inside == (1u << kLaneRows) - 1) return;
  SVM_UNROLL for (u32 r = 0; r < kLaneRows; ++r) {
    if ((inside >> r & 1) == 0) rows.offset[r] = 0;
  }
}

// Which of the lane's rows are not null.
SVM_INLINE u32 valid_rows(const Tile& t, const u64* validity) {
  if (validity == nullptr) return ~0u;
  const u32 row = row_in_segment(t.row);
  if (!t.wide) return bit_at(validity, row);
  // A group is one byte of the bitmap.
  const u8* const bytes = reinterpret_cast<const u8*>(validity) + row / 8;
  u32 valid = 0;
  SVM_UNROLL for (u32 k = 0; k < kLaneGroups; ++k) {
    const u32 group = t.live >> (k * kGroupRows) & ((1u << kGroupRows) - 1);
    if (group != 0) valid |= u32(load(bytes + k * 32)) << (k * kGroupRows);
  }
  return valid;
}

// Which of the lane's rows pass. A look is told the base of their segment by begin, says of an
// offset whether it passes by wide or narrow, and may take all of it back in the end.
template <class Offset, class Look>
SVM_INLINE u32 look_up(const Tile& t, const SegmentColumn& segment, Look& look) {
  look.begin(segment.base);
  u32 pass = 0;
  const Offset* const from = static_cast<const Offset*>(segment.data) + row_in_segment(t.row);
  if (t.wide) {
    LaneOffsets<Offset> rows;
    load_rows(from, t.live, rows);
    clear_outside(t.inside, rows);
    SVM_UNROLL for (u32 r = 0; r < kLaneRows; ++r) pass |= look.wide(rows.offset[r]) << r;
  } else if (t.live != 0) {
    pass = look.narrow(load(from));
  }
  return pass & look.all();
}

// Keeps the rows that are not null and pass.
template <class C, class Look>
SVM_INLINE void keep_where(Tile& t, const C& column, Look look) {
  const SegmentColumn& segment = column.segment(t.row);
  const u32 pass = look_up<typename C::Offset>(t, segment, look);
  take_live(t, t.live & pass & valid_rows(t, segment.validity));
}

// A general filter, of narrow tiles: see cpu/keep.h.
template <class T>
struct Keeper {
  T& tile;
  bool kept = false;
  SVM_MEMBER explicit Keeper(T& t) : tile(t) {}
  SVM_MEMBER void row(u32, bool keep) { kept = keep; }
  SVM_MEMBER void done() { take_live(tile, kept); }
};

SVM_INLINE void keep_valid(Tile& t, const AnyColumn& column) {
  take_live(t, t.live & valid_rows(t, column.segment(t.row).validity));
}
SVM_INLINE void keep_null(Tile& t, const AnyColumn& column) {
  const u64* const validity = column.segment(t.row).validity;
  take_live(t, validity == nullptr ? 0 : t.live & ~valid_rows(t, validity));
}

// Offsets up to 4 bytes are compared in 32 bits.
template <class U>
struct Compared {
  using Type = u32;
};
template <>
struct Compared<u64> {
  using Type = u64;
};

// The values of a range as offsets of the segment's frame.
template <class U>
struct RangeLook {
  using Word = typename Compared<U>::Type;
  i64 least, most;
  Word low = 0, length = 0;
  bool none = false;
  SVM_MEMBER explicit RangeLook(const RangeView& range)
      : least(i64(range.low)), most(i64(range.low + range.length)) {}
  SVM_MEMBER void begin(i64 base) {
    constexpr u64 kMost = U(~U(0));
    const u64 first = least > base ? u64(least) - u64(base) : 0;
    const u64 last = u64(most) - u64(base);
    none = most < base || first > kMost;
    low = Word(first);
    length = Word((last < kMost ? last : kMost) - first);
  }
  SVM_MEMBER u32 wide(U offset) const { return Word(Word(offset) - low) <= length; }
  SVM_MEMBER u32 narrow(U offset) const { return wide(offset); }
  SVM_MEMBER u32 all() const { return none ? 0 : ~0u; }
};

template <class U>
SVM_INLINE void keep_range(Tile& t, const Column<U>& column, const RangeView& range) {
  keep_where(t, column, RangeLook<U>(range));
}

struct PassLook {
  const u8* pass;
  SVM_MEMBER void begin(i64) {}
  SVM_MEMBER u32 wide(u32 code) const { return load(pass + code); }
  SVM_MEMBER u32 narrow(u32 code) const { return load(pass + code); }
  SVM_MEMBER u32 all() const { return ~0u; }
};

SVM_INLINE void keep_pass(Tile& t, const CodeColumn& column, const PassView& view) {
  keep_where(t, column, PassLook{view.pass});
}

}  // namespace shadowvm::kernels
