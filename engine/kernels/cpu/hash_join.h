// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Joins by hash: keys of W words, open addressing, 16-bit tags. Rows go in blocks of 64: first all
// hashes, with the slots they will need on their way into the cache, then the look-ups.

#include "engine/kernels/common/hash_table.h"
#include "engine/kernels/cpu/keep.h"

namespace shadowvm::kernels {

// found[j] = the first build row of key j, or kNoRow, for j < count.
template <u32 W>
SVM_VERB void find_rows(const HashView& table, const Keys<W>& keys, u32 count, u32* found) {
  u64 hash[kBlockRows];
  for (u32 first = 0; first < count; first += kBlockRows) {
    const u32 rows = count - first < kBlockRows ? count - first : kBlockRows;
    for (u32 r = 0; r < rows; ++r) {
      hash[r] = hash_key(keys, first + r);
      __builtin_prefetch(table.slots + (hash[r] & table.mask));
    }
    for (u32 r = 0; r < rows; ++r) found[first + r] = find_row(table, keys, first + r, hash[r]);
  }
}

// match[p] = the first build row of each row alive, or kNoRow; keeps every row (outer joins). The
// tile is settled.
template <u32 W, class T>
SVM_VERB void match_hash(T& t, const HashView& table, const Keys<W>& keys, u32* match) {
  u32 found[kTileRows];
  find_rows(table, keys, t.count, found);
  for (u32 j = 0; j < t.count; ++j) match[t.selection[j]] = found[j];
}

// Keeps the rows that match; match[p] = first build row.
template <u32 W, class T>
SVM_VERB void probe_hash(T& t, const HashView& table, const Keys<W>& keys, u32* match) {
  u32 found[kTileRows];
  u8 lane[kLaneBytes];
  find_rows(table, keys, t.count, found);
  for (u32 j = 0; j < t.count; ++j) {
    match[t.selection[j]] = found[j];
    lane[j] = found[j] != kNoRow;
  }
  keep_lanes(t, lane);
}

template <u32 W, class T>
SVM_INLINE void keep_found(T& t, const HashView& table, const Keys<W>& keys, u64 flip) {
  u32 found[kTileRows];
  u8 lane[kLaneBytes];
  find_rows(table, keys, t.count, found);
  for (u32 j = 0; j < t.count; ++j) lane[j] = found[j] != kNoRow;
  keep_lanes(t, lane, flip);
}

// Keeps the rows whose key is there, or is not there. A row with a null in its key is the caller's:
// it is kept out of the first by keep_valid, and put aside for the second.
template <u32 W, class T>
SVM_VERB void probe_hash_exists(T& t, const HashView& table, const Keys<W>& keys) {
  keep_found(t, table, keys, 0);
}
template <u32 W, class T>
SVM_VERB void probe_hash_absent(T& t, const HashView& table, const Keys<W>& keys) {
  keep_found(t, table, keys, ~u64(0));
}

}  // namespace shadowvm::kernels
