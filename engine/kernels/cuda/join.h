// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Joins by direct address and by hash. A table's bitmap lies in shared memory where wide tiles ask
// it and the launch found room for it. Wide tiles ask it for rows that are alive: of lanes that ask
// at once, some find their words in the same bank and wait for one another, and the fewer ask, the
// fewer wait.

#include "engine/kernels/common/direct.h"
#include "engine/kernels/common/hash_table.h"
#include "engine/kernels/cuda/keep.h"

namespace shadowvm::kernels {

// Whether keys are there. The table spans what values of the column can be, or with kChecked may
// not.
template <bool kChecked>
struct ExistsTest {
  using Test = ExistsTest;
  const Direct& table;
  SVM_MEMBER explicit ExistsTest(const Direct& t) : table(t) {}
  SVM_MEMBER u32 has(u64 key) const {
    if (kChecked && key >= table.size) return 0;
    const u8* const byte = table.bits + (key >> 3);
    return (is_shared(byte) ? *byte : load(byte)) >> (key & 7) & 1;
  }
  SVM_MEMBER u32 passes(i64 value) const { return has(u64(value) - u64(table.base)); }
};

// A table of 2^32 keys is never direct.
template <class U, bool kChecked>
struct ExistsLook : ExistsTest<kChecked> {
  using Offset = U;
  using ExistsTest<kChecked>::table;
  // A launch without room for its bitmap asks such a table row by row.
  static constexpr bool kMayBeFar = sizeof(U) > 2;
  // Read once: what a warp leaves of its rows could be anywhere, as far as a compiler knows.
  bool far;  // not in shared memory
  u64 shift = 0;
  u32 bit_shift = 0;  // from an offset to the number of its bit in shared memory
  SVM_MEMBER explicit ExistsLook(const Direct& t)
      : ExistsTest<kChecked>(t), far(!is_shared(t.bits)) {}
  SVM_MEMBER void begin(i64 base) {
    shift = u64(base) - u64(table.base);
    bit_shift = u32(shift) + 8 * shared_address(table.bits);
  }
  SVM_MEMBER u32 wide(u32 bits, typename Held<U>::Type offset, u32 alive) const {
    const u32 bit = u32(offset) + bit_shift;
    if constexpr (kChecked) {
      if (u64(offset) + shift >= table.size) return with_bit(bits, 0);
    }
    return with_bit(bits, shift_right(load_shared_if(alive, bit >> 5 << 2), bit));
  }
  SVM_MEMBER u32 far_word(typename Held<U>::Type offset, u32 alive) const {
    const u64 key = offset + shift;
    const bool asked = alive != 0 && (!kChecked || key < table.size);
    return asked ? load(reinterpret_cast<const u32*>(table.bits) + (key >> 5)) : 0;
  }
  SVM_MEMBER u32 far_bit(u32 word, typename Held<U>::Type offset) const {
    return shift_right(word, u32(offset + shift));
  }
  SVM_MEMBER u32 narrow(U offset) const { return this->has(offset + shift); }
  SVM_MEMBER u32 passed(u32 bits) const { return bits >> (32 - kLaneRows); }
};

// Keeps the rows whose key is in the table.
template <class T, class U>
SVM_INLINE void keep_in(T& t, const Direct& table, const Column<U>& column) {
  keep_where<ExistsLook<U, false>>(t, column, table);
}
template <class T, class U>
SVM_INLINE void keep_in_checked(T& t, const Direct& table, const Column<U>& column) {
  keep_where<ExistsLook<U, true>>(t, column, table);
}

// Keeps the rows whose key is null or not in the table.
template <bool kChecked, class T, class U>
SVM_INLINE void keep_absent(T& t, const Direct& table, const Column<U>& column) {
  const SegmentColumn segment = column.segment(t.row);
  ExistsLook<U, kChecked> look(table);
  const u32 found = look_up(t, segment, look) & valid_rows(t, segment.validity);
  take_live(t, t.live & ~found);
}
template <class T, class U>
SVM_INLINE void keep_not_in(T& t, const Direct& table, const Column<U>& column) {
  // The key of a null row need not be one that the table spans.
  if (column.segment(t.row).validity != nullptr) {
    keep_absent<true>(t, table, column);
  } else {
    keep_absent<false>(t, table, column);
  }
}
template <class T, class U>
SVM_INLINE void keep_not_in_checked(T& t, const Direct& table, const Column<U>& column) {
  keep_absent<true>(t, table, column);
}

// Computed keys, of narrow tiles.
template <class T>
SVM_INLINE void keep_in_keys(T& t, const Direct& table, const i64* key) {
  take_live(t, t.live != 0 && exists(table, u64(key[0]) - u64(table.base)));
}
template <class T>
SVM_INLINE void keep_not_in_keys(T& t, const Direct& table, const i64* key) {
  take_live(t, t.live != 0 && !exists(table, u64(key[0]) - u64(table.base)));
}

// The first build row of the key of row i, or kNoRow.
template <class U>
SVM_INLINE u32 row_of(const Direct& table, const Column<U>& column, u32 i) {
  return load(table.rows + (u64(column[i]) - u64(table.base)));
}
template <class U>
SVM_INLINE u32 row_of_checked(const Direct& table, const Column<U>& column, u32 i) {
  return row_of_key(table, column[i]);
}

// By hash, of narrow tiles: see cpu/hash_join.h.
template <u32 W, class T>
SVM_INLINE u32 find_match(const T& t, const HashView& table, const Keys<W>& keys) {
  return t.live != 0 ? find_row(table, keys, 0, hash_key(keys, 0)) : kNoRow;
}
// Keeps every row (outer joins).
template <u32 W, class T>
SVM_INLINE void match_hash(T& t, const HashView& table, const Keys<W>& keys, u32* match) {
  match[0] = find_match(t, table, keys);
}
template <u32 W, class T>
SVM_INLINE void probe_hash(T& t, const HashView& table, const Keys<W>& keys, u32* match) {
  match[0] = find_match(t, table, keys);
  take_live(t, match[0] != kNoRow);
}
template <u32 W, class T>
SVM_INLINE void probe_hash_exists(T& t, const HashView& table, const Keys<W>& keys) {
  take_live(t, find_match(t, table, keys) != kNoRow);
}
template <u32 W, class T>
SVM_INLINE void probe_hash_absent(T& t, const HashView& table, const Keys<W>& keys) {
  take_live(t, t.live != 0 && find_match(t, table, keys) == kNoRow);
}

}  // namespace shadowvm::kernels
