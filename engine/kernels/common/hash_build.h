// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// What the host and a GPU share that enters a join's build rows into a table by hash: the table of
// common/hash_table.h, in which rows of one key form a chain in ascending order.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

// Rows that a lane goes past in a chain, and attempts that others spoil, before it gives up. A key
// of so many rows is cores' work: lanes would wait for one another at its chain.
inline constexpr u32 kMostChainSteps = 1024;

// Zeros at first.
struct HashBuildCounts {
  u64 rows;     // in the table
  u64 keys;     // that are different
  u64 gave_up;  // not 0: what was made is of no use
};

// The argument of the launch.
struct alignas(16) HashBuild {
  const u64* keys;       // words, those of a row together
  const u8* takes_part;  // by row, 0: it is in no table; null: all are in it
  u64* slots;            // zeros at first
  u32* next;             // by row; null: one row of each key will do
  HashBuildCounts* counts;
  u64 mask;  // of slots
  u32 num_rows;
  u32 key_words;
  u32 num_blocks;
};

}  // namespace shadowvm::kernels
