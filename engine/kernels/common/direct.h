// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Join tables by direct address, one key at a time: indexed by key - base.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

using Direct = DirectView;

// Existence of key - base, whatever it is: outside the table is absent.
SVM_INLINE u8 exists(const Direct& table, u64 key) {
  const u64 inside = key < table.size ? key : 0;
  return u8(table.bits[inside >> 3] >> (inside & 7) & u8(key < table.size));
}

// The first build row of a key, or kNoRow.
SVM_INLINE u32 row_of_key(const Direct& table, i64 key) {
  const u64 at = u64(key) - u64(table.base);
  return at < table.size ? table.rows[at] : kNoRow;
}

}  // namespace shadowvm::kernels
