// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// What the host and a GPU's sort share. Rows are put in the order of their keys digit by digit,
// from the last one on; rows of one digit keep their order, so in the end rows of one key do. Each
// digit takes three launches, of which the next begins when the one before is done: no block ever
// waits for another.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

inline constexpr u32 kDigitBits = 8;
inline constexpr u32 kSortDigits = 1u << kDigitBits;
// Rows that a thread of a block holds at a time.
inline constexpr u32 kSortLaneRows = 8;

SVM_INLINE constexpr u32 sort_tile_rows(u32 block_threads) { return block_threads * kSortLaneRows; }

enum class SortStep : u32 {
  kCount,  // how often each digit comes, by block
  kPlace,  // where each block's rows of a digit begin; by one block
  kMove,   // rows, and keys where they are still needed, go to their places
};

// The argument of one launch.
struct alignas(16) SortPass {
  const u64* keys;
  const u32* rows;  // their numbers; null: they are in the order of their numbers
  u64* moved_keys;  // null: nobody asks for them
  u32* moved_rows;
  u32* counts;  // by block, then by digit; kPlace makes places of them
  u32* totals;  // by digit; zeros at first
  u32 num_rows;
  u32 shift;       // of the digit in the key
  u32 num_blocks;  // that count and move, each the rows of tiles of its own
  SortStep step;
};

// Shared memory of a block: a tile in the order of its digits, and counts.
struct SortLayout {
  u32 rows_at, counts_at, begins_at, next_at, bytes;
};
SVM_INLINE constexpr SortLayout sort_layout(u32 block_threads) {
  SortLayout layout{};
  const u32 tile = sort_tile_rows(block_threads);
  layout.rows_at = tile * u32(sizeof(u64));
  layout.counts_at = layout.rows_at + tile * u32(sizeof(u32));
  layout.begins_at = layout.counts_at + block_threads / 32 * kSortDigits * u32(sizeof(u32));
  layout.next_at = layout.begins_at + kSortDigits * u32(sizeof(u32));
  layout.bytes = layout.next_at + kSortDigits * u32(sizeof(u32));
  return layout;
}

}  // namespace shadowvm::kernels
