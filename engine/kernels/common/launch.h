// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// What the host and a kernel on a GPU share beside abi.h. One launch covers many segments, so what
// a core is told per segment is looked up by row here:
// - a row is known by its id, segment << kSegmentShift | row in the segment;
// - ColumnView::data points to the column's SegmentColumn of every segment of the launch;
// - RangeView holds values, not offsets: low is the least one, low + length the largest.

#include "engine/kernels/common/abi.h"

namespace shadowvm::kernels {

inline constexpr u32 kSegmentShift = 20;
inline constexpr u32 kMostLaunchSegments = 1u << (32 - kSegmentShift);

// A wide tile: each lane of a warp holds kLaneGroups times kGroupRows neighbouring rows. A group of
// four-byte values is what one load brings, and the groups of all lanes follow each other.
inline constexpr u32 kGroupRows = 4;
inline constexpr u32 kLaneGroups = 8;
inline constexpr u32 kLaneRows = kGroupRows * kLaneGroups;
inline constexpr u32 kAllLaneRows = ~0u >> (32 - kLaneRows);
inline constexpr u32 kWideTileRows = 32 * kLaneRows;
inline constexpr u32 kTilesOfSegment = (1u << kSegmentShift) / kWideTileRows;

// Rows of a warp that wait to be worked on together: fewer than a warp's lanes, and as many more.
inline constexpr u32 kQueueRows = 64;

// A column of one segment, in the device's memory or the host's. 'data' is aligned to 16 bytes and
// can be read up to the end of a group of rows, 64 bytes past the segment's last row at most.
// Single rows are read from 'rows', which is 'data' or else room in the device's memory, where wide
// tiles leave all they read: no cache of the device keeps what comes from the host's.
struct alignas(16) SegmentColumn {
  const void* data;
  i64 base;
  const u64* validity;
  const u32* offsets;
  const void* rows;
};

// The rows of one segment to work on.
struct alignas(8) SegmentRows {
  u32 row_begin;
  u32 row_end;
};

// How two values of an accumulator become one.
enum class MergeOp : u8 {
  kAdd,
  kAddChecked,  // an overflow is an error
  kAddWide,
  kAddDouble,
  kMin,
  kMax,
  kMinDouble,
  kMaxDouble,
  kSecondWord,  // of the accumulator before it
};

// A join's bitmap that every block copies into its shared memory.
struct ResidentBits {
  u32 direct;  // in the call's directs
  u32 at;      // bytes from the start of shared memory
  u32 bytes;   // a multiple of 16
};

// Hash groups in the device's memory. A row is the key's words, then the accumulators. A slot holds
// tag and number of a row + 1 as in a join table, 0 when it is empty, and kBusySlot while its row
// is being written.
inline constexpr u64 kBusySlot = ~u64(0);
struct LaunchGroups {
  u64* slots;  // mask + 1 of them, more than there can be rows
  u64 mask;
  i64* rows;   // 'capacity' of them
  u64* count;  // of rows; more than 'capacity': there was no room
  u64 capacity;
  u64 row_words;  // of the whole row
};

// Strings that keys of hash groups are, by number: slots are as above, over entries of 'texts'.
struct LaunchStrings {
  u64* slots;  // mask + 1 of them, more than there can be strings
  u64 mask;
  Text* texts;  // 'capacity' of them
  u64* count;   // of strings; more than 'capacity': there was no room
  u64 capacity;
};

// A join's table that a launch makes, in the device's memory: addressed by key - base, as a
// DirectView is. All of it but 'groups' is zeros at first.
struct TableFound {
  u32 num_groups;  // that have a number
  u32 repeated;    // not 0: some key came twice
};
inline constexpr u32 kBusyNumber = ~0u;
struct LaunchTable {
  u32* bits;     // existence, one bit a key
  u16* codes;    // a key's group, as its number; null where nobody groups by it
  u32* numbers;  // a group's number, from 1; 0: none yet; kBusyNumber while it is being given
  u32* groups;   // of the groups with a number, by number - 1
  TableFound* found;
  i64 base;
  u64 size;  // of addressable keys
};

// The argument of a launch. It lies at the start of a block of bytes that every block of threads
// copies into its shared memory; the arrays of the call lie in the same bytes, and their pointers
// are distances from its start. Other pointers are addresses of the device.
struct alignas(16) LaunchBlock {
  KernelCall call;
  const SegmentRows* segments;  // of the device
  // Of the device: the first share of a tile that no warp has. Null: each takes every so-many-th,
  // which costs it nothing.
  u32* next_share;
  u32 end_tile;     // tiles of all segments have numbers below it: kTilesOfSegment for each
  u32 block_bytes;  // of the whole block, a multiple of 16
  u32 first_block;  // of the launch's blocks those that work on this: num_blocks from here on
  u32 num_blocks;
  u32 split_shift;  // 1 << split_shift warps share a wide tile: each has as many rows of a lane
  u32 wide_steps;   // steps before rows are queued: those that the text writes as one verb
  u32 queue_at;     // shared memory: kQueueRows places of rows a warp

  const ResidentBits* residents;  // in the block
  u32 num_residents;

  // The sink's groups: rows of row_words words, added to call.dense in the device's memory at the
  // end. With dense_at a block has its own in shared memory; 0: none.
  u32 dense_at;
  u32 num_slots;
  u32 row_words;
  const i64* initial;    // in the block: row_words words
  const MergeOp* merge;  // in the block: row_words of them
  u32* error;            // of the device: the first one raised

  // Rows that leave: where launch and id of each are noted, by its place in the output; null:
  // nowhere.
  u64* output_rows;
  u32 launch;  // number of this launch among those of its run

  LaunchGroups groups;  // instead: groups by hash, whose accumulators start at 'initial'
  LaunchStrings strings;
  LaunchTable table;  // instead: a table for who joins
};

// The argument of a launch with several sentences: each has blocks of its own, one after another.
inline constexpr u32 kMostParts = 8;
struct LaunchParts {
  const LaunchBlock* part[kMostParts];  // of the device
  u32 end_block[kMostParts];            // by part; those that are not there have none
};

}  // namespace shadowvm::kernels
