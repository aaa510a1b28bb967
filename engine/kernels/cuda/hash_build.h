// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Build rows enter a table by hash (common/hash_build.h), all lanes at once. Nobody waits: a slot
// and a chain change by one swap each, which succeeds or finds that another lane was first. Nothing
// is ever taken out, so what a lane has gone past stays where it is.

#include "engine/kernels/cuda/machine.h"
// The machine comes first: what follows is compiled for it.
#include "engine/kernels/common/hash.h"
#include "engine/kernels/common/hash_build.h"

namespace shadowvm::kernels {

SVM_INLINE const u64* key_of_row(const HashBuild& build, u64 row) {
  return build.keys + row * build.key_words;
}

SVM_INLINE bool same_row_key(const HashBuild& build, u64 row, u64 other) {
  const u64* const mine = key_of_row(build, row);
  const u64* const theirs = key_of_row(build, other);
  u64 different = 0;
  SVM_ROLLED for (u32 w = 0; w < build.key_words; ++w) {
    different |= load(mine + w) ^ load(theirs + w);
  }
  return different == 0;
}

SVM_INLINE u32 row_in_slot(u64 slot) { return u32((slot & kSlotPayload) - 1); }

// Whether some lane has given up, so that nothing counts any more.
SVM_INLINE bool has_given_up(const HashBuild& build) {
  return *static_cast<const volatile u64*>(&build.counts->gave_up) != 0;
}

// Puts the row behind 'before', which is in its chain and less. False: it has given up.
SVM_INLINE bool chain_behind(const HashBuild& build, u32 before, u32 row) {
  SVM_ROLLED for (u32 step = 0; step < kMostChainSteps; ++step) {
    u32* const link = build.next + before;
    const u32 after = load_shown(link);
    // The last one's link is greater than any row.
    if (after < row) {
      before = after;
      continue;
    }
    build.next[row] = after;
    memory_fence();
    if (atomic_swap_if(link, after, row) == after) return true;
  }
  return false;
}

// Puts the row into the chain of the slot that has its key: the least row is in the slot.
SVM_INLINE bool chain_in_slot(const HashBuild& build, u64* place, u64 hash, u32 row) {
  SVM_ROLLED for (u32 step = 0; step < kMostChainSteps; ++step) {
    const u64 slot = load_shown(place);
    const u32 first = row_in_slot(slot);
    if (first < row) return chain_behind(build, first, row);
    build.next[row] = first;
    memory_fence();
    if (atomic_swap_if(place, slot, make_slot(hash, u64(row) + 1)) == slot) return true;
  }
  return false;
}

enum class Entered : u32 { kNewKey, kKnownKey, kNot };

// There are more slots than rows.
SVM_INLINE Entered enter_row(const HashBuild& build, u32 row) {
  const u64 hash = hash_words(key_of_row(build, row), build.key_words);
  for (u64 at = hash & build.mask;; at = (at + 1) & build.mask) {
    u64* const place = build.slots + at;
    u64 slot = *static_cast<const volatile u64*>(place);
    if (slot == 0) {
      if (build.next != nullptr) {
        build.next[row] = kNoRow;
        memory_fence();
      }
      slot = atomic_swap_if(place, u64(0), make_slot(hash, u64(row) + 1));
      if (slot == 0) return Entered::kNewKey;
    }
    if (!same_tag(slot, hash) || !same_row_key(build, row, row_in_slot(slot))) continue;
    if (build.next == nullptr) return Entered::kKnownKey;
    return chain_in_slot(build, place, hash, row) ? Entered::kKnownKey : Entered::kNot;
  }
}

// All lanes of a warp come here.
SVM_INLINE void count_rows(const HashBuild& build, u32 rows, u32 keys) {
  const u32 all_rows = sum_of_lanes(~0u, rows);
  const u32 all_keys = sum_of_lanes(~0u, keys);
  if (lane_number() != 0 || all_rows == 0) return;
  atomic_add_device(&build.counts->rows, all_rows);
  atomic_add_device(&build.counts->keys, all_keys);
}

// The launch. Rows come the last ones first: then most go before those of their key that are there.
SVM_INLINE void build_hash_table(const HashBuild& build) {
  const u64 lanes = u64(build.num_blocks) * block_threads();
  u32 rows = 0, keys = 0;
  SVM_ROLLED for (u64 n = u64(block_number()) * block_threads() + thread_in_block();
                  n < build.num_rows; n += lanes) {
    const u32 row = u32(build.num_rows - 1 - n);
    if (build.takes_part != nullptr && load(build.takes_part + row) == 0) continue;
    const Entered entered = enter_row(build, row);
    rows += entered != Entered::kNot;
    keys += entered == Entered::kNewKey;
    if (entered == Entered::kNot) atomic_add_device(&build.counts->gave_up, 1);
    if (has_given_up(build)) break;
  }
  warp_sync();
  count_rows(build, rows, keys);
}

}  // namespace shadowvm::kernels
