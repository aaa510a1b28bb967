// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The tile of a warp. At first it is wide: each lane holds kLaneRows rows and a mask of those that
// are alive, and steps that are one verb narrow the masks. Then survivors wait in a queue until
// there is one for every lane, and the rest of the sentence sees narrow tiles: one row a lane, all
// lanes busy. So the rest is written once, and what it reads is read for survivors alone.

#include "engine/kernels/cuda/columns.h"

namespace shadowvm::kernels {

// An array of the launch's block, which lies at the start of shared memory: pointers in it are
// distances from there. A compiler that sees where they come from knows what memory they lead to.
template <class V>
SVM_INLINE V* in_block(V* distance) {
  return reinterpret_cast<V*>(shared_memory() + u32(reinterpret_cast<u64>(distance)));
}

// The one row of a lane, of a narrow tile.
struct LaneRow {
  u32 live = 0;  // whether it is
  u32 row = 0;   // its id, or that of a row that is there where it is not alive
};

// A thread's own copy of the call.
struct DeviceCall : KernelCall {
  const LaunchBlock* block;  // in shared memory
  u64 place;                 // of this lane's next row in the output
  LaneRow lane;              // quick code: of the tile at hand
};

// The rows of a segment to work on.
SVM_INLINE SegmentRows load_rows(const LaunchBlock* block, u32 segment) {
  const u64 rows = load(reinterpret_cast<const u64*>(block->segments + segment));
  return {u32(rows), u32(rows >> 32)};
}

// The lane's rows that are left. All lanes of the warp come here together.
template <class T>
SVM_INLINE void take_live(T& t, u32 live) {
  t.live = live;
  t.count = count_bits(warp_ballot(live != 0));
}

}  // namespace shadowvm::kernels

#if defined(SVM_QUICK)
#include "engine/kernels/cuda/quick_tile.h"
#else

// A sentence goes from tile to tile.
#define SVM_EACH_TURN(call)

namespace shadowvm::kernels {

struct Tile {
  u32 count = 0;  // of the warp: lanes with a row alive
  u32 live = 0;   // of the lane: bit r is its row r; bit 0 is the only one when narrow
  u32 row = 0;    // of the lane: id of its first row, one that is there even where none is alive
  bool wide = false;

  // The scan. Warps take shares of tiles; 'next' is the warp's next one, and the first lane's
  // alone.
  u32 next, stride;
  u32 waiting = 0;   // of the lane: rows of the last wide tile that are alive and not queued yet
  u32 queued = 0;    // rows of the warp's queue
  u32* queue;        // of places: see row_at
  u32 place = 0;     // of the lane: that of its row 0 in the last wide tile
  u32 lanes_before;  // this one, as bits

  SVM_MEMBER explicit Tile(const DeviceCall* call) {
    const u32 warp = thread_in_block() / 32, warps = block_threads() / 32;
    next = (block_number() - call->block->first_block) * warps + warp;
    stride = call->block->num_blocks * warps;
    // What was taken from a lane, if only from this one, is not computed again for each row.
    const int self = int(lane_number());
    lanes_before = u32(take_from_lane((1u << self) - 1, self));
    queue = reinterpret_cast<u32*>(shared_memory() + call->block->queue_at) +
            take_from_lane(warp * kQueueRows, self);
  }
};

// The id of a lane's row r.
SVM_INLINE u32 row_of_lane(u32 first, u32 r) {
  return first + r / kGroupRows * (32 * kGroupRows) + r % kGroupRows;
}

// Rows are queued by tile, lane and row of the lane, so that a lane's rows follow each other.
SVM_INLINE u32 first_place(u32 tile) { return tile * kWideTileRows + lane_number() * kLaneRows; }
SVM_INLINE u32 row_at(u32 place) {
  const u32 tile = place / kWideTileRows, lane = place / kLaneRows % 32;
  return row_of_lane(tile * kWideTileRows + lane * kGroupRows, place % kLaneRows);
}

// Queues survivors, one of each lane at a time, until there is one for every lane.
SVM_INLINE void fill_queue(Tile& t) {
  while (t.queued < 32) {
    const u32 lanes = warp_ballot(t.waiting != 0);
    if (lanes == 0) return;
    if (t.waiting != 0) {
      t.queue[t.queued + count_bits(lanes & t.lanes_before)] = t.place + lowest_bit(t.waiting);
    }
    t.waiting &= t.waiting - 1;
    t.queued += count_bits(lanes);
  }
}

SVM_INLINE void take_queued(Tile& t) {
  const u32 taken = t.queued < 32 ? t.queued : 32;
  t.queued -= taken;
  warp_sync();
  const bool mine = lane_number() < taken;
  t.row = row_at(t.queue[t.queued + (mine ? lane_number() : 0)]);
  t.live = mine;
  t.count = taken;
  t.wide = false;
  warp_sync();
}

// The lane's rows that are a warp's own where several share a tile.
SVM_INLINE u32 rows_of_warp(u32 shift, u32 warp) {
  const u32 rows = kLaneRows >> shift;
  return (kAllLaneRows >> (kLaneRows - rows)) << warp * rows;
}

// The warp's share, and has it look for another one: that is there by the time it is wanted.
SVM_INLINE u32 take_share(Tile& t, const LaunchBlock* block) {
  const u32 share = u32(take_from_lane(t.next, 0));
  if (share >> block->split_shift >= block->end_tile) return share;
  if (block->next_share == nullptr) {
    t.next = share + t.stride;
  } else if (lane_number() == 0) {
    t.next = atomic_add(block->next_share, 1u);
  }
  return share;
}

// The next wide tile with rows to work on; false when there is none.
SVM_INLINE bool next_wide(Tile& t, const LaunchBlock* block) {
  const u32 shift = block->split_shift;
  for (u32 share; (share = take_share(t, block)) >> shift < block->end_tile;) {
    const u32 tile = share >> shift;
    const u32 segment = tile / kTilesOfSegment;
    const u32 first = tile % kTilesOfSegment * kWideTileRows;
    const SegmentRows rows = load_rows(block, segment);
    if (first >= rows.row_end || first + kWideTileRows <= rows.row_begin) continue;
    const u32 mine = first + lane_number() * kGroupRows;
    t.row = segment << kSegmentShift | mine;
    u32 live = kAllLaneRows;
    if (first < rows.row_begin || first + kWideTileRows > rows.row_end) {
      live = 0;
      SVM_ROLLED for (u32 r = 0; r < kLaneRows; ++r) {
        const u32 at = row_of_lane(mine, r);
        live |= u32(at >= rows.row_begin && at < rows.row_end) << r;
      }
    }
    t.wide = true;
    t.place = first_place(tile);
    take_live(t, live & rows_of_warp(shift, share & ((1u << shift) - 1)));
    return true;
  }
  return false;
}

SVM_INLINE bool next_tile(Tile& t, const DeviceCall* call) {
  fill_queue(t);
  if (t.queued < 32 && next_wide(t, call->block)) return true;
  if (t.queued == 0) return false;
  take_queued(t);
  return true;
}

// After the steps of a tile: true when the sink has nothing to do with it yet, or no row is left.
SVM_INLINE bool end_steps(Tile& t) {
  if (!t.wide) return t.count == 0;
  t.waiting = t.live;
  return true;
}

}  // namespace shadowvm::kernels

#endif

namespace shadowvm::kernels {

// A narrow tile has nothing to write down.
template <class T>
SVM_INLINE void settle(T&) {}

// Quick code asks for each tile: a compiler that knew that there are always steps or never would
// write the sentence twice.
SVM_INLINE u32 steps_of(const DeviceCall* call) {
  if (!kQuick) return call->num_steps;
  return static_cast<const volatile u32&>(call->block->call.num_steps);
}

#define SVM_FOR_EACH_TILE(t, call) for (Tile t(call); next_tile(t, call);)

#define SVM_FOR_EACH_STEP(step, t, call)                                                     \
  SVM_ROLLED for (u32 svm_at = kQuick || (t).wide ? 0 : (call)->block->wide_steps,           \
                  svm_end = (t).wide ? (call)->block->wide_steps : steps_of(call), step = 0; \
                  svm_at < svm_end && (kQuick || (t).count != 0) &&                          \
                  (step = (call)->order[svm_at], true);                                      \
                  ++svm_at)

#define SVM_END_STEPS(t, call) \
  if (end_steps(t)) continue

// The lane's row, if it has one: j and p are 0, i is its id. A compiler that did not know that
// there is no second one would unroll the loop.
#define SVM_EACH_ROW(t) \
  for ([[maybe_unused]] u32 j = 0, p = 0, i = (t).row, svm_count = (t).live & 1; j < svm_count; ++j)

}  // namespace shadowvm::kernels
