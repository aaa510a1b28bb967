// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Groups by hash, in one table of the device's memory that all lanes share: see cpu/group.h. Who
// finds a slot empty takes it, writes the row of a new group, and only then shows it; others look
// again until it is there.

#include "engine/kernels/cuda/accumulate.h"
#include "engine/kernels/cuda/join.h"

namespace shadowvm::kernels {

// The keys of a row that other lanes may have written just now.
template <u32 W>
SVM_INLINE bool same_group(const Keys<W>& keys, const i64* row) {
  u64 different = 0;
  SVM_UNROLL for (u32 w = 0; w < W; ++w) {
    different |= keys.word[w][0] ^ u64(*static_cast<const volatile i64*>(row + w));
  }
  return different == 0;
}

// The row of a new group, whose slot is the lane's; null when there is no room.
template <u32 W>
SVM_INLINE i64* make_group(const LaunchBlock* block, const Keys<W>& keys, u64 hash, u64* slot) {
  const LaunchGroups& groups = block->groups;
  const u64 number = atomic_add(groups.count, u64(1));
  if (number >= groups.capacity) {
    atomic_swap_if(slot, kBusySlot, u64(0));
    return nullptr;
  }
  i64* const row = groups.rows + number * groups.row_words;
  SVM_UNROLL for (u32 w = 0; w < W; ++w) row[w] = i64(keys.word[w][0]);
  SVM_ROLLED for (u32 w = 0; w < block->row_words; ++w) row[W + w] = in_block(block->initial)[w];
  memory_fence();
  atomic_swap_if(slot, kBusySlot, make_slot(hash, number + 1));
  return row;
}

template <u32 W>
SVM_FUNCTION i64* find_group(const LaunchBlock* block, const Keys<W>& keys, u64 hash) {
  const LaunchGroups& groups = block->groups;
  for (u64 at = hash & groups.mask;;) {
    u64* const place = groups.slots + at;
    u64 slot = *static_cast<volatile u64*>(place);
    if (slot == 0) {
      if (*static_cast<volatile u64*>(groups.count) > groups.capacity) return nullptr;
      slot = atomic_swap_if(place, u64(0), kBusySlot);
      if (slot == 0) return make_group(block, keys, hash, place);
    }
    if (slot == kBusySlot) continue;
    i64* const row = groups.rows + ((slot & kSlotPayload) - 1) * groups.row_words;
    if (same_tag(slot, hash)) {
      if (same_group(keys, row)) return row;
      memory_fence();  // what was written before the slot that we saw is seen from here on
      if (same_group(keys, row)) return row;
    }
    at = (at + 1) & groups.mask;
  }
}

// The number of a new string, whose slot is the lane's; kNoRow when there is no room.
SVM_INLINE u32 enter_text(const LaunchStrings& strings, const Text& text, u64 hash, u64* slot) {
  const u64 number = atomic_add(strings.count, u64(1));
  if (number >= strings.capacity) {
    atomic_swap_if(slot, kBusySlot, u64(0));
    return kNoRow;
  }
  strings.texts[number] = text;
  memory_fence();
  atomic_swap_if(slot, kBusySlot, make_slot(hash, number + 1));
  return u32(number);
}

// The number of a string among those of the keys, entered when it is new. A row without room for
// its string is in a wrong group, which will not count.
SVM_FUNCTION u32 find_or_enter_text(const LaunchStrings& strings, const Text& text) {
  const u64 hash = hash_text(text);
  for (u64 at = hash & strings.mask;;) {
    u64* const place = strings.slots + at;
    u64 slot = load_shown(place);
    if (slot == 0) {
      if (*static_cast<volatile u64*>(strings.count) > strings.capacity) return kNoRow;
      slot = atomic_swap_if(place, u64(0), kBusySlot);
      if (slot == 0) return enter_text(strings, text, hash, place);
      continue;
    }
    if (slot == kBusySlot) continue;
    const u64 number = (slot & kSlotPayload) - 1;
    if (same_tag(slot, hash) && text_equal(strings.texts[number], text)) return u32(number);
    at = (at + 1) & strings.mask;
  }
}
SVM_INLINE u32 intern_text(const DeviceCall* call, const Text& text) {
  return find_or_enter_text(call->block->strings, text);
}

// A row without room for its group goes no further: what was found will not count.
template <u32 W, class T>
SVM_INLINE void find_groups(T& t, const DeviceCall* call, const Keys<W>& keys, i64** group) {
  if (t.live == 0) return;
  i64* const row = find_group(call->block, keys, hash_key(keys, 0));
  t.live = row != nullptr;
  if (t.live != 0) group[0] = row + W;
}

}  // namespace shadowvm::kernels
