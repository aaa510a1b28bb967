// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Joins by direct address: one integer key, the table indexed by key - base. 'Unchecked' verbs rely
// on a table that spans every offset the segment can hold; 'checked' ones ask. A null key matches
// nothing.

#include "engine/kernels/common/direct.h"
#include "engine/kernels/cpu/keep.h"

namespace shadowvm::kernels {

// What to add to an offset of the column to index the table.
template <class U>
SVM_INLINE u64 offset_in(const Direct& table, const Column<U>& column) {
  return u64(column.base) - u64(table.base);
}

template <class U>
struct ByteLook {
  const U* data;
  const u8* bytes;
  u64 shift;
  SVM_MEMBER u8 operator()(u32 i) const { return bytes[data[i] + shift]; }
};

template <class U>
struct BitmapLook {
  const U* data;
  const u8* bits;
  u64 shift;
  SVM_MEMBER u8 operator()(u32 i) const {
    const u64 key = data[i] + shift;
    return u8(bits[key >> 3] >> (key & 7));
  }
};

template <class U>
struct CheckedLook {
  const U* data;
  Direct table;
  u64 shift;
  SVM_MEMBER u8 operator()(u32 i) const { return exists(table, data[i] + shift); }
};

struct KeyLook {
  const i64* key;
  Direct table;
  SVM_MEMBER u8 operator()(u32 j) const { return exists(table, u64(key[j]) - u64(table.base)); }
};

// By gathers from the bitmap, 64 rows at a time; the look-up is by position in the tile. A table of
// 2^32 keys is never direct.
template <class U>
SVM_VERB u32 gather_existing(u16* selection, u32 count, bool all, const BitmapLook<U>& look,
                             u64 flip) {
  const u32 shift = u32(look.shift);
  u32 kept = 0, j = 0;
  for (; j + kBlockRows <= count; j += kBlockRows) {
    const u64 mask = all ? bitmap_mask(look.data + j, shift, look.bits)
                         : bitmap_mask_selected(look.data, selection + j, shift, look.bits);
    kept += put_block(selection, kept, j, all, mask ^ flip);
  }
  u64 mask = 0;
  for (u32 r = 0; j + r < count; ++r) {
    mask |= u64((look(all ? j + r : selection[j + r]) ^ flip) & 1) << r;
  }
  return kept + put_block(selection, kept, j, all, mask);
}

template <class T, class U>
SVM_VERB void keep_existing(T& t, const Direct& table, const Column<U>& column, u64 flip) {
  const u64 shift = offset_in(table, column);
  if constexpr (kHasBitmapMasks && T::kContiguous && sizeof(U) <= 4) {
    const BitmapLook<U> look = {column.data + t.source(0), table.bits, shift};
    take_selection(t, gather_existing(t.selection, t.count, t.all, look, flip));
  } else if (table.bytes != nullptr) {
    keep_where(t, ByteLook<U>{column.data, table.bytes, shift}, flip);
  } else {
    keep_where(t, BitmapLook<U>{column.data, table.bits, shift}, flip);
  }
}

template <class T, class U>
SVM_VERB void keep_existing_checked(T& t, const Direct& table, const Column<U>& column, u64 flip) {
  keep_where(t, CheckedLook<U>{column.data, table, offset_in(table, column)}, flip);
}

// Keeps the rows whose key is in the table.
template <class T, class U>
SVM_INLINE void keep_in(T& t, const Direct& table, const Column<U>& column) {
  keep_existing(t, table, column, 0);
  keep_valid(t, column);
}
template <class T, class U>
SVM_INLINE void keep_in_checked(T& t, const Direct& table, const Column<U>& column) {
  keep_existing_checked(t, table, column, 0);
  keep_valid(t, column);
}

template <class U>
struct NullableLook {
  CheckedLook<U> look;
  const u64* validity;
  SVM_MEMBER u8 operator()(u32 i) const { return look(i) & u8(bit_at(validity, i)); }
};

// Keeps the rows whose key is null or not in the table.
template <class T, class U>
SVM_VERB void keep_not_in_nullable(T& t, const Direct& table, const Column<U>& column) {
  const CheckedLook<U> look = {column.data, table, offset_in(table, column)};
  keep_where(t, NullableLook<U>{look, column.validity}, ~u64(0));
}
template <class T, class U>
SVM_INLINE void keep_not_in(T& t, const Direct& table, const Column<U>& column) {
  if (column.validity != nullptr) return keep_not_in_nullable(t, table, column);
  keep_existing(t, table, column, ~u64(0));
}
template <class T, class U>
SVM_INLINE void keep_not_in_checked(T& t, const Direct& table, const Column<U>& column) {
  if (column.validity != nullptr) return keep_not_in_nullable(t, table, column);
  keep_existing_checked(t, table, column, ~u64(0));
}

// The same for computed keys: key[j] of row number j. The tile is settled.
template <class T>
SVM_INLINE void keep_keys(T& t, const Direct& table, const i64* key, u64 flip) {
  u8 lane[kLaneBytes];
  const KeyLook look = {key, table};
  for (u32 j = 0; j < t.count; ++j) lane[j] = look(j);
  keep_lanes(t, lane, flip);
}
template <class T>
SVM_VERB void keep_in_keys(T& t, const Direct& table, const i64* key) {
  keep_keys(t, table, key, 0);
}
template <class T>
SVM_VERB void keep_not_in_keys(T& t, const Direct& table, const i64* key) {
  keep_keys(t, table, key, ~u64(0));
}

// The first build row of the key of row i, or kNoRow.
template <class U>
SVM_INLINE u32 row_of(const Direct& table, const Column<U>& column, u32 i) {
  return table.rows[column.data[i] + offset_in(table, column)];
}
template <class U>
SVM_INLINE u32 row_of_checked(const Direct& table, const Column<U>& column, u32 i) {
  return row_of_key(table, column[i]);
}

}  // namespace shadowvm::kernels
