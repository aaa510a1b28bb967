// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Where a row's accumulators lie: dense slots computed from key codes. Of narrow tiles.

#include "engine/kernels/cuda/accumulate.h"
#include "engine/kernels/cuda/join.h"

namespace shadowvm::kernels {

// The sum of code × stride over the keys.
struct Slots {
  u32 slot[kTileRows];
};

template <class T>
SVM_INLINE void start_slots(const T&, Slots& g) {
  g.slot[0] = 0;
}

// The group code of the key's build row in a direct table. The key is in the table (or its code is
// 0: trash). A lane without a row looks up one that is there all the same: loads that no branch
// stands before are all on their way at once.
template <class T, class U>
SVM_INLINE void add_join_code(const T& t, Slots& g, const Direct& table, const Column<U>& column,
                              u64 stride) {
  const u64 key = u64(column[t.row]) - u64(table.base);
  g.slot[0] += load(table.codes + (key < table.size ? key : 0)) * u32(stride);
}
// The group code of each row's build row.
template <class T>
SVM_INLINE void add_hash_join_code(const T& t, Slots& g, const u16* codes, const u32* match,
                                   u64 stride) {
  if (t.live != 0) g.slot[0] += load(codes + match[0]) * u32(stride);
}

// value - origin.
template <class T, class U>
SVM_INLINE void add_column_code(const T& t, Slots& g, const Column<U>& column, i64 origin,
                                u64 stride) {
  g.slot[0] += u32(u64(column[t.row]) - u64(origin)) * u32(stride);
}
// value - origin, or null_code.
template <class T, class U>
SVM_INLINE void add_nullable_column_code(const T& t, Slots& g, const Column<U>& column, i64 origin,
                                         u64 stride, u32 null_code) {
  const u32 code = u32(u64(column[t.row]) - u64(origin));
  g.slot[0] += (column.valid(t.row) ? code : null_code) * u32(stride);
}

// The code of a string column's dictionary.
template <class T>
SVM_INLINE void add_code(const T& t, Slots& g, const CodeColumn& column, u64 stride) {
  g.slot[0] += column.code(t.row) * u32(stride);
}
template <class T>
SVM_INLINE void add_nullable_code(const T& t, Slots& g, const CodeColumn& column, u64 stride,
                                  u32 null_code) {
  g.slot[0] += (column.valid(t.row) ? column.code(t.row) : null_code) * u32(stride);
}

// The accumulators of row number j: 'words' words a slot.
SVM_INLINE i64* dense_row(i64* dense, const Slots& g, u32 j, u32 words) {
  return dense + u64(g.slot[j]) * words;
}

// Every row counts in its slot's first word.
template <class T>
SVM_INLINE void count_slots(const T& t, const Slots& g, i64* dense, u32 words) {
  if (t.live != 0) count_row(dense_row(dense, g, 0, words));
}

// A column is added to each row's slot, at the word 'dense' points to; wraps.
template <class T, class U>
SVM_INLINE void sum_slots(const T& t, const Slots& g, i64* dense, u32 words,
                          const Column<U>& column) {
  const i64 value = column[t.row];
  if (t.live != 0) sum_i64(dense_row(dense, g, 0, words), value);
}

}  // namespace shadowvm::kernels
