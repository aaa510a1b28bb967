// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Where a row's accumulators lie: dense slots computed from key codes, or hash groups.

#include "engine/kernels/cpu/hash_join.h"
#include "engine/kernels/cpu/join.h"

namespace shadowvm::kernels {

// Slot numbers of a tile's rows, by row number j: the sum of code × stride over the keys.
struct Slots {
  u32 slot[kTileRows];
};

template <class T>
SVM_INLINE void start_slots(const T& t, Slots& g) {
  u32 zero = 0;
  __asm__("" : "+r"(zero));  // else compilers see a memset and call it
  const u32 count = t.count;
  for (u32 j = 0; j < count; ++j) g.slot[j] = zero;
}

// slot += code(i) × stride, four rows at a time.
template <class T, class Code>
SVM_INLINE void add_codes(const T& t, Slots& g, const Code& code, u64 stride) {
  const u32 factor = u32(stride), count = t.count;
  const u16* const selection = t.selection;
  const auto rows = t.sources();
  u32 j = 0;
#define SVM_ADD(n) g.slot[j + n] += code(selection[j + n], rows[selection[j + n]]) * factor
  for (; j + 4 <= count; j += 4) SVM_ADD(0), SVM_ADD(1), SVM_ADD(2), SVM_ADD(3);
  for (; j < count; ++j) SVM_ADD(0);
#undef SVM_ADD
}

template <class U>
struct JoinCode {
  const U* data;
  const u16* codes;
  u64 shift;
  SVM_MEMBER u32 operator()(u32, u32 i) const { return codes[data[i] + shift]; }
};

// The group code of the key's build row in a direct table. The key is in the table (or its code is
// 0: trash).
template <class T, class U>
SVM_VERB void add_join_code(const T& t, Slots& g, const Direct& table, const Column<U>& column,
                            u64 stride) {
  add_codes(t, g, JoinCode<U>{column.data, table.codes, offset_in(table, column)}, stride);
}

struct MatchCode {
  const u16* codes;
  const u32* match;
  SVM_MEMBER u32 operator()(u32 p, u32) const { return codes[match[p]]; }
};

// The group code of each row's build row: match is by position, codes by build row.
template <class T>
SVM_VERB void add_hash_join_code(const T& t, Slots& g, const u16* codes, const u32* match,
                                 u64 stride) {
  add_codes(t, g, MatchCode{codes, match}, stride);
}

template <class U>
struct ColumnCode {
  const U* data;
  const u64* validity;  // null: no row is null
  u32 shift;
  u32 null_code;
  SVM_MEMBER u32 operator()(u32, u32 i) const {
    const u32 code = u32(data[i]) + shift;
    return validity == nullptr || bit_at(validity, i) ? code : null_code;
  }
};

// value - origin.
template <class T, class U>
SVM_VERB void add_column_code(const T& t, Slots& g, const Column<U>& column, i64 origin,
                              u64 stride) {
  const u32 shift = u32(u64(column.base) - u64(origin));
  add_codes(t, g, ColumnCode<U>{column.data, nullptr, shift, 0}, stride);
}
// value - origin, or null_code.
template <class T, class U>
SVM_VERB void add_nullable_column_code(const T& t, Slots& g, const Column<U>& column, i64 origin,
                                       u64 stride, u32 null_code) {
  const u32 shift = u32(u64(column.base) - u64(origin));
  add_codes(t, g, ColumnCode<U>{column.data, column.validity, shift, null_code}, stride);
}

// The code of a string column's dictionary.
template <class T>
SVM_VERB void add_code(const T& t, Slots& g, const CodeColumn& column, u64 stride) {
  add_codes(t, g, ColumnCode<u32>{column.data, nullptr, 0, 0}, stride);
}
template <class T>
SVM_VERB void add_nullable_code(const T& t, Slots& g, const CodeColumn& column, u64 stride,
                                u32 null_code) {
  add_codes(t, g, ColumnCode<u32>{column.data, column.validity, 0, null_code}, stride);
}

// The accumulators of row number j: 'words' words a slot.
SVM_INLINE i64* dense_row(i64* dense, const Slots& g, u32 j, u32 words) {
  return dense + u64(g.slot[j]) * words;
}

// Every row counts in its slot's first word.
template <class T>
SVM_VERB void count_slots(const T& t, const Slots& g, i64* dense, u32 words) {
  const u32 count = t.count;
  for (u32 j = 0; j < count; ++j) ++*dense_row(dense, g, j, words);
}

// A column is added to each row's slot, at the word 'dense' points to; wraps.
template <class T, class U>
SVM_VERB void sum_slots(const T& t, const Slots& g, i64* dense, u32 words,
                        const Column<U>& column) {
  SVM_EACH_ROW(t) {
    i64* const r = dense_row(dense, g, j, words);
    *r = i64(u64(*r) + u64(column[i]));
  }
}

// The id of a string that is a key and has no code; kNoRow with call->error set when there is no
// room.
SVM_INLINE u32 intern_text(KernelCall* call, const Text& text) { return call->intern(call, text); }

// A new group in a part: its row, key and initial accumulators; null with call->error set when
// there is no room.
template <u32 W>
SVM_VERB i64* insert_group(KernelCall* call, const Keys<W>& keys, u32 j, u64 hash) {
  GroupsView* const groups = call->groups;
  GroupPart& part = groups->parts[part_of(hash)];
  while (part.count >= part.limit || part.end_row - part.free_row < i64(groups->row_words)) {
    if (!groups->grow(call, part_of(hash))) return nullptr;
  }
  i64* const row = part.free_row;
  part.free_row += groups->row_words;
  ++part.count;
  for (u32 w = W; w < groups->row_words; ++w) row[w] = groups->initial[w];
  for (u32 w = 0; w < W; ++w) row[w] = i64(keys.word[w][j]);
  u64 at = hash & part.mask;
  while (part.slots[at] != 0) at = (at + 1) & part.mask;
  part.slots[at] = make_slot(hash, u64(row));
  return row;
}

template <u32 W>
SVM_INLINE i64* find_group(KernelCall* call, const Keys<W>& keys, u32 j, u64 hash) {
  const GroupPart& part = call->groups->parts[part_of(hash)];
  for (u64 at = hash & part.mask; part.slots != nullptr; at = (at + 1) & part.mask) {
    const u64 slot = part.slots[at];
    if (slot == 0) break;
    i64* const row = reinterpret_cast<i64*>(slot & kSlotPayload);
    if (same_tag(slot, hash) && same_key(keys, j, reinterpret_cast<const u64*>(row))) return row;
  }
  return insert_group(call, keys, j, hash);
}

// group[j] = the accumulators of row number j's group, made when it is new. When there is no room
// the tile is emptied and call->error is set. A part always has an empty slot (or no slots yet,
// limit 0).
template <u32 W, class T>
SVM_VERB void find_groups(T& t, KernelCall* call, const Keys<W>& keys, i64** group) {
  u64 hash[kBlockRows];
  for (u32 first = 0; first < t.count; first += kBlockRows) {
    const u32 rows = t.count - first < kBlockRows ? t.count - first : kBlockRows;
    for (u32 r = 0; r < rows; ++r) {
      hash[r] = hash_key(keys, first + r);
      const GroupPart& part = call->groups->parts[part_of(hash[r])];
      __builtin_prefetch(part.slots + (hash[r] & part.mask));
    }
    // Most often the first slot is the key's, and its row as far away as it was.
    for (u32 r = 0; r < rows; ++r) {
      const GroupPart& part = call->groups->parts[part_of(hash[r])];
      if (part.slots == nullptr) continue;
      __builtin_prefetch(
          reinterpret_cast<const i64*>(part.slots[hash[r] & part.mask] & kSlotPayload), 1);
    }
    for (u32 r = 0; r < rows; ++r) {
      i64* const row = find_group(call, keys, first + r, hash[r]);
      if (row == nullptr) {
        t.count = 0;
        return;
      }
      group[first + r] = row + W;
    }
  }
}

}  // namespace shadowvm::kernels
