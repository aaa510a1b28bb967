// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Join keys that are strings without a dictionary: kernels look up their ids.

#include "engine/kernels/common/hash.h"
#include "engine/kernels/common/text_match.h"

namespace shadowvm::kernels {

// The id of a string, or kNoRow.
SVM_INLINE u32 find_text(const TextIndexView& index, const Text& text) {
  const u64 hash = hash_text(text);
  for (u64 at = hash & index.mask;; at = (at + 1) & index.mask) {
    const u64 slot = index.slots[at];
    if (slot == 0) return kNoRow;
    const u64 position = (slot & kSlotPayload) - 1;
    if (same_tag(slot, hash) && text_equal(index.texts[position], text)) return index.ids[position];
  }
}

}  // namespace shadowvm::kernels
