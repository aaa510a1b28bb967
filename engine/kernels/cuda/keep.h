// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Steps that narrow a tile: filters. Wide, a lane loads its rows a group at a time where any of it
// is alive; narrow, it loads its one row. A null never passes.

#include "engine/kernels/cuda/tile.h"

namespace shadowvm::kernels {

// Offsets up to 4 bytes are held in 32 bits.
template <class U>
struct Held {
  using Type = u32;
};
template <>
struct Held<u64> {
  using Type = u64;
};

// The rows of a group, packed as they are loaded; of one that is not alive, anything.
template <class U>
struct GroupWords {
  static constexpr u32 kWords = kGroupRows * sizeof(U) / 4;
  u32 word[kWords];

  SVM_MEMBER void load(const U* from, u32 alive) {
    if constexpr (kWords == 1) {
      word[0] = stream_word_if(alive, from);
    } else if constexpr (kWords == 2) {
      const u64 words = stream_words2_if(alive, from);
      word[0] = u32(words);
      word[1] = u32(words >> 32);
    } else {
      SVM_UNROLL for (u32 k = 0; k < kWords; k += 4) {
        const u32* const at = reinterpret_cast<const u32*>(from) + k;
        const Words4 words = kWords == 4 ? stream_words4_if(alive, at) : near_words4_if(alive, at);
        SVM_UNROLL for (u32 part = 0; part < 4; ++part) word[k + part] = words.word[part];
      }
    }
  }
  SVM_MEMBER void leave(U* to) const {
    if constexpr (kWords == 1) {
      *reinterpret_cast<u32*>(to) = word[0];
    } else if constexpr (kWords == 2) {
      store_words2(to, u64(word[1]) << 32 | word[0]);
    } else {
      SVM_UNROLL for (u32 k = 0; k < kWords; k += 4) {
        store_words4(reinterpret_cast<u32*>(to) + k,
                     {word[k], word[k + 1], word[k + 2], word[k + 3]});
      }
    }
  }
  SVM_MEMBER typename Held<U>::Type offset(u32 r) const {
    if constexpr (sizeof(U) == 1) return byte_of(word[r / 4], r % 4);
    if constexpr (sizeof(U) == 2) return half_of(word[r / 2], r % 2);
    if constexpr (sizeof(U) == 4) return word[r];
    if constexpr (sizeof(U) == 8) return u64(word[2 * r + 1]) << 32 | word[2 * r];
  }
};

// Those of the lane's group k that are alive.
template <class T>
SVM_INLINE u32 group_alive(const T& t, u32 k) {
  return t.live >> (k * kGroupRows) & ((1u << kGroupRows) - 1);
}

// Which of the lane's rows are not null.
template <class T>
SVM_INLINE u32 valid_rows(const T& t, const u64* validity) {
  if (validity == nullptr) return ~0u;
  const u32 row = row_in_segment(t.row);
  if (!t.wide) return bit_at(validity, row);
  // Two lanes' groups are one byte of the bitmap.
  const u8* const bytes = reinterpret_cast<const u8*>(validity) + row / 8;
  const u32 half = row % 8;
  u32 valid = 0;
  SVM_UNROLL for (u32 k = 0; k < kLaneGroups; ++k) {
    if (group_alive(t, k) == 0) continue;
    valid |= (load(bytes + k * (32 * kGroupRows / 8)) >> half & ((1u << kGroupRows) - 1))
             << k * kGroupRows;
  }
  return valid;
}

// Adds a bit of each row of the lane's group k.
template <class U, class T, class Look>
SVM_INLINE u32 look_at_group(u32 bits, const T& t, const GroupWords<U>& group, u32 k,
                             const Look& look) {
  const u32 live = t.live >> (k * kGroupRows);
  SVM_UNROLL for (u32 r = 0; r < kGroupRows; ++r) {
    bits = look.wide(bits, group.offset(r), live & 1u << r);
  }
  return bits;
}

// The same where rows ask a table that is not in shared memory: loads come before what is made of
// them, so that they wait together.
template <class U, class T, class Look>
SVM_INLINE u32 look_far(u32 bits, const T& t, const GroupWords<U>& group, u32 k, const Look& look) {
  const u32 live = t.live >> (k * kGroupRows);
  u32 word[kGroupRows];
  SVM_UNROLL for (u32 r = 0; r < kGroupRows; ++r) {
    word[r] = look.far_word(group.offset(r), live >> r & 1);
  }
  SVM_UNROLL for (u32 r = 0; r < kGroupRows; ++r) {
    bits = with_bit(bits, look.far_bit(word[r], group.offset(r)));
  }
  return bits;
}

// The lane's group k, if it has a row alive; and that left in 'room', if there is any.
template <class U, class T>
SVM_INLINE void load_group(GroupWords<U>& group, const T& t, const U* from, u32 k) {
  group.load(from + k * 32 * kGroupRows, group_alive(t, k));
}
template <class U, class T>
SVM_INLINE void leave_group(const GroupWords<U>& group, const T& t, U* room, u32 k) {
  if (room != nullptr && group_alive(t, k) != 0) group.leave(room + k * 32 * kGroupRows);
}

// A bit of each of the lane's rows, one group at a time.
template <class U, class T, class Look>
SVM_INLINE u32 look_at_groups(const T& t, const U* from, U* room, const Look& look) {
  u32 bits = 0;
  SVM_ROLLED for (u32 k = 0; k < kLaneGroups; ++k) {
    GroupWords<U> group;
    load_group(group, t, from, k);
    leave_group(group, t, room, k);
    if constexpr (Look::kMayBeFar) {
      if (look.far) {
        bits = look_far(bits, t, group, k, look);
        continue;
      }
    }
    bits = look_at_group(bits, t, group, k, look);
  }
  return bits;
}

// The same of a column of up to four bytes. Registers hold some groups: as soon as one has been
// looked at another is asked for. Nothing is left anywhere: an instruction that did would wait for
// what it leaves, also where it has nothing to do.
template <class U, class T, class Look>
SVM_INLINE u32 look_ahead(const T& t, const U* from, const Look& look) {
  constexpr u32 kHeld = sizeof(U) == 4 ? 6 : kLaneGroups;
  GroupWords<U> group[kLaneGroups];
  SVM_UNROLL for (u32 k = 0; k < kHeld; ++k) load_group(group[k], t, from, k);
  u32 bits = 0;
  SVM_UNROLL for (u32 k = 0; k < kLaneGroups; ++k) {
    bits = look_at_group(bits, t, group[k], k, look);
    if (k + kHeld < kLaneGroups) load_group(group[k + kHeld], t, from, k + kHeld);
  }
  return bits;
}

template <class U, class T, class Look>
SVM_INLINE u32 look_wide(const T& t, const U* from, U* room, const Look& look) {
  if constexpr (sizeof(U) <= 4) {
    bool simple = room == nullptr;
    if constexpr (Look::kMayBeFar) simple = simple && !look.far;
    if (simple) return look_ahead(t, from, look);
  }
  return look_at_groups(t, from, room, look);
}

// Which of the lane's rows pass. A look is told the base of their segment by begin. On narrow tiles
// it says of an offset whether it passes; on wide ones it collects a bit of each row's, as cheaply
// as it can, and says in the end which of them have passed. A row that is not alive may hold
// anything, and so may its bit: it must not be looked up in a table. What a look looks for is its
// test, which says of a value whether it passes, whatever the column's width.
template <class Look, class T>
SVM_INLINE u32 look_up(const T& t, const SegmentColumn& segment, Look& look) {
  using Offset = typename Look::Offset;
  look.begin(segment.base);
  const u32 row = row_in_segment(t.row);
  const Offset* const rows = static_cast<const Offset*>(segment.rows) + row;
  if constexpr (!kQuick) {
    if (t.wide) {
      const Offset* const from = static_cast<const Offset*>(segment.data) + row;
      Offset* const room = rows != from ? const_cast<Offset*>(rows) : nullptr;
      return look.passed(look_wide(t, from, room, look));
    }
  }
  return t.live != 0 ? look.narrow(load_row(segment, rows)) : 0;
}

// Whether a row is alive, not null and passes, in quick code.
template <class Test, class View>
SVM_ONCE u32 quick_test(const ColumnView& column, const View& view, u32 row, u32 live, u32 bytes) {
  if (live == 0) return 0;
  const u32 pass = Test(view).passes(quick_value(column, row, bytes));
  return pass & u32(AnyColumn(column).valid(row));
}

// Keeps the rows that are not null and pass.
template <class Look, class T, class View>
SVM_INLINE void keep_where(T& t, const AnyColumn& column, const View& view) {
  if constexpr (kQuick) {
    const u32 bytes = sizeof(typename Look::Offset);
    return take_live(t, quick_test<typename Look::Test>(column.view, view, t.row, t.live, bytes));
  }
  const SegmentColumn segment = column.segment(t.row);
  Look look(view);
  const u32 pass = look_up(t, segment, look);
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

template <class T>
SVM_INLINE void keep_valid(T& t, const AnyColumn& column) {
  take_live(t, t.live & valid_rows(t, column.segment(t.row).validity));
}
template <class T>
SVM_INLINE void keep_null(T& t, const AnyColumn& column) {
  const u64* const validity = column.segment(t.row).validity;
  take_live(t, validity == nullptr ? 0 : t.live & ~valid_rows(t, validity));
}

struct RangeTest {
  using Test = RangeTest;
  i64 least, most;
  SVM_MEMBER explicit RangeTest(const RangeView& range)
      : least(i64(range.low)), most(i64(range.low + range.length)) {}
  SVM_MEMBER u32 passes(i64 value) const { return value >= least && value <= most; }
};

// The values of a range as offsets of the segment's frame.
template <class U>
struct RangeLook : RangeTest {
  static constexpr bool kMayBeFar = false;
  using Offset = U;
  using Word = typename Held<U>::Type;
  Word low = 0, length = 0;
  bool none = false;
  SVM_MEMBER explicit RangeLook(const RangeView& range) : RangeTest(range) {}
  SVM_MEMBER void begin(i64 base) {
    constexpr u64 kMost = U(~U(0));
    const u64 first = least > base ? u64(least) - u64(base) : 0;
    const u64 last = u64(most) - u64(base);
    none = most < base || first > kMost;
    low = Word(first);
    length = Word((last < kMost ? last : kMost) - first);
  }
  // Bits of those that fail, the last row's lowest.
  SVM_MEMBER u32 wide(u32 bits, Word offset, u32) const {
    if constexpr (sizeof(U) > 4) return bits << 1 | u32(offset - low > length);
    return with_more(bits, u32(offset - low), ~u32(length));
  }
  SVM_MEMBER u32 passed(u32 bits) const { return none ? 0 : ~reversed(bits) >> (32 - kLaneRows); }
  SVM_MEMBER u32 narrow(U offset) const { return !none && Word(Word(offset) - low) <= length; }
};

template <class T, class U>
SVM_INLINE void keep_range(T& t, const Column<U>& column, const RangeView& range) {
  keep_where<RangeLook<U>>(t, column, range);
}

// Codes have no base: they are their offsets.
struct PassLook {
  static constexpr bool kMayBeFar = false;
  using Offset = u32;
  using Test = PassLook;
  const u8* pass;
  SVM_MEMBER explicit PassLook(const PassView& view) : pass(view.pass) {}
  SVM_MEMBER u32 passes(i64 code) const { return load(pass + code); }
  SVM_MEMBER void begin(i64) {}
  SVM_MEMBER u32 wide(u32 bits, u32 code, u32 alive) const {
    return with_bit(bits, alive != 0 ? load(pass + code) : 0);
  }
  SVM_MEMBER u32 passed(u32 bits) const { return bits >> (32 - kLaneRows); }
  SVM_MEMBER u32 narrow(u32 code) const { return load(pass + code); }
};

template <class T>
SVM_INLINE void keep_pass(T& t, const CodeColumn& column, const PassView& view) {
  keep_where<PassLook>(t, column, view);
}

}  // namespace shadowvm::kernels
