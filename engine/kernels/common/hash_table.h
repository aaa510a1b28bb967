// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Join tables by hash, one key at a time: open addressing, 16-bit tags.

#include "engine/kernels/common/hash.h"

namespace shadowvm::kernels {

// Key words of a tile's rows, by row number j. A rendered loop fills them.
template <u32 W>
struct Keys {
  u64 word[W][kTileRows];
};

template <u32 W>
SVM_INLINE u64 hash_key(const Keys<W>& keys, u32 j) {
  u64 hash = kHashSeed;
  for (u32 w = 0; w < W; ++w) hash = mix_word(hash, keys.word[w][j]);
  return finish_hash(hash);
}

template <u32 W>
SVM_INLINE bool same_key(const Keys<W>& keys, u32 j, const u64* stored) {
  u64 different = 0;
  for (u32 w = 0; w < W; ++w) different |= keys.word[w][j] ^ stored[w];
  return different == 0;
}

// The first build row of key j, or kNoRow.
template <u32 W>
SVM_INLINE u32 find_row(const HashView& table, const Keys<W>& keys, u32 j, u64 hash) {
  for (u64 at = hash & table.mask;; at = (at + 1) & table.mask) {
    const u64 slot = table.slots[at];
    if (slot == 0) return kNoRow;
    const u64 row = (slot & kSlotPayload) - 1;
    if (same_tag(slot, hash) && same_key(keys, j, table.keys + row * W)) return u32(row);
  }
}

}  // namespace shadowvm::kernels
