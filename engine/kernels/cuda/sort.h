// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Rows in the order of their keys, a digit at a time (common/sort.h). What a key is, and how rows
// of one key are told apart, is the host's business: exec/state/sort_order.h.

#include "engine/kernels/cuda/machine.h"
// The machine comes first: what follows is compiled for it.
#include "engine/kernels/common/sort.h"

namespace shadowvm::kernels {

// Stands for the digit of a row that is not there.
inline constexpr u32 kNoDigit = kSortDigits;

struct SortTiles {
  u32 begin, end;
};

// The tiles of this block: neighbours, so that rows stay in order across blocks.
SVM_INLINE SortTiles tiles_of_block(const SortPass& pass) {
  const u64 tile_rows = sort_tile_rows(block_threads());
  const u64 tiles = (pass.num_rows + tile_rows - 1) / tile_rows;
  const u64 block = block_number();
  return {u32(tiles * block / pass.num_blocks), u32(tiles * (block + 1) / pass.num_blocks)};
}

// One tile as a lane sees it. A warp has neighbouring rows, and takes them 32 at a time.
struct SortTile {
  u32 first;   // row of the tile
  u32 inside;  // rows of it

  SVM_MEMBER SortTile(const SortPass& pass, u32 tile) {
    const u32 tile_rows = sort_tile_rows(block_threads());
    first = tile * tile_rows;
    const u32 left = pass.num_rows - first;
    inside = left < tile_rows ? left : tile_rows;
  }
  // The place in the tile of the lane's k-th row.
  SVM_MEMBER u32 place_of(u32 k) const {
    return thread_in_block() / 32 * (32 * kSortLaneRows) + k * 32 + lane_number();
  }
  SVM_MEMBER bool has(u32 k) const { return place_of(k) < inside; }
  SVM_MEMBER u64 key(const SortPass& pass, u32 k) const {
    return stream_words2_if(has(k), pass.keys + first + place_of(k));
  }
  SVM_MEMBER u32 row(const SortPass& pass, u32 k) const {
    const u32 at = first + place_of(k);
    return pass.rows == nullptr ? at : load(pass.rows + at);
  }
  SVM_MEMBER u32 digit(const SortPass& pass, u32 k, u64 key) const {
    return has(k) ? u32(key >> pass.shift) & (kSortDigits - 1) : kNoDigit;
  }
};

template <class V>
SVM_INLINE V* shared_at(u32 at) {
  return reinterpret_cast<V*>(shared_memory() + at);
}

SVM_INLINE void clear_counts(u32* counts, u32 count) {
  SVM_ROLLED for (u32 n = thread_in_block(); n < count; n += block_threads()) counts[n] = 0;
}

// What the lanes before this one hold, added up.
SVM_INLINE u32 sum_before(u32 v) {
  u32 sum = v;
  SVM_UNROLL for (u32 step = 1; step < 32; step *= 2) {
    const u32 other = u32(take_from_lane(sum, int((lane_number() - step) & 31)));
    if (lane_number() >= step) sum += other;
  }
  return sum - v;
}

// For every digit how many rows have a lesser one. One warp comes here.
SVM_INLINE void sum_lesser_digits(const u32* counts, u32* lesser) {
  constexpr u32 kOfLane = kSortDigits / 32;
  const u32 first = lane_number() * kOfLane;
  u32 mine = 0;
  SVM_UNROLL for (u32 n = 0; n < kOfLane; ++n) mine += counts[first + n];
  u32 before = sum_before(mine);
  SVM_UNROLL for (u32 n = 0; n < kOfLane; ++n) {
    const u32 count = counts[first + n];
    lesser[first + n] = before;
    before += count;
  }
}

SVM_INLINE void count_digits(const SortPass& pass) {
  u32* const counts = shared_at<u32>(0);
  clear_counts(counts, kSortDigits);
  block_sync();
  const SortTiles tiles = tiles_of_block(pass);
  SVM_ROLLED for (u32 n = tiles.begin; n < tiles.end; ++n) {
    const SortTile tile(pass, n);
    u64 keys[kSortLaneRows];
    SVM_UNROLL for (u32 k = 0; k < kSortLaneRows; ++k) keys[k] = tile.key(pass, k);
    SVM_UNROLL for (u32 k = 0; k < kSortLaneRows; ++k) {
      if (tile.has(k)) atomic_add_shared(counts + tile.digit(pass, k, keys[k]), 1);
    }
  }
  block_sync();
  SVM_ROLLED for (u32 digit = thread_in_block(); digit < kSortDigits; digit += block_threads()) {
    pass.counts[block_number() * kSortDigits + digit] = counts[digit];
    if (counts[digit] != 0) atomic_add(pass.totals + digit, counts[digit]);
  }
}

// One block: a thread has a digit, and goes through the blocks. Loads of several come together.
SVM_INLINE void place_digits(const SortPass& pass) {
  constexpr u32 kTogether = 4;
  u32* const lesser = shared_at<u32>(0);
  if (thread_in_block() < 32) sum_lesser_digits(pass.totals, lesser);
  block_sync();
  SVM_ROLLED for (u32 digit = thread_in_block(); digit < kSortDigits; digit += block_threads()) {
    u32 next = lesser[digit];
    SVM_ROLLED for (u32 block = 0; block < pass.num_blocks; block += kTogether) {
      u32* const counts = pass.counts + u64(block) * kSortDigits + digit;
      const u32 left = pass.num_blocks - block;
      u32 mine[kTogether];
      SVM_UNROLL for (u32 n = 0; n < kTogether; ++n) mine[n] =
          n < left ? counts[n * kSortDigits] : 0;
      SVM_UNROLL for (u32 n = 0; n < kTogether; ++n) {
        if (n < left) counts[n * kSortDigits] = next;
        next += mine[n];
      }
    }
  }
}

// Counts the tile's rows by digit and warp, and says how many of its warp, its digit and an earlier
// place each row follows. A warp has its own counts.
SVM_INLINE void rank_rows(const SortPass& pass, const SortTile& tile, const u64* keys, u32* counts,
                          u32* ranks) {
  const u32 lanes_before = (1u << lane_number()) - 1;
  SVM_UNROLL for (u32 k = 0; k < kSortLaneRows; ++k) {
    const u32 digit = tile.digit(pass, k, keys[k]);
    const u32 alike = lanes_alike<kDigitBits + 1>(digit);
    const u32 before = digit != kNoDigit ? counts[digit] : 0;
    warp_sync();
    if (digit != kNoDigit && lowest_bit(alike) == lane_number()) {
      counts[digit] = before + count_bits(alike);
    }
    warp_sync();
    ranks[k] = before + count_bits(alike & lanes_before);
  }
}

// Makes of a digit's counts by warp what the warps before each have, and of 'totals' all of them.
SVM_INLINE void sum_over_warps(u32* counts, u32* totals) {
  SVM_ROLLED for (u32 digit = thread_in_block(); digit < kSortDigits; digit += block_threads()) {
    u32 sum = 0;
    SVM_ROLLED for (u32 warp = 0; warp < block_threads() / 32; ++warp) {
      u32* const count = counts + warp * kSortDigits + digit;
      const u32 mine = *count;
      *count = sum;
      sum += mine;
    }
    totals[digit] = sum;
  }
}

// A tile is brought into order in shared memory first, so that neighbours go to neighbours.
SVM_INLINE void move_rows(const SortPass& pass) {
  const SortLayout layout = sort_layout(block_threads());
  u64* const tile_keys = shared_at<u64>(0);
  u32* const tile_rows = shared_at<u32>(layout.rows_at);
  u32* const counts = shared_at<u32>(layout.counts_at);
  u32* const warp_counts = counts + thread_in_block() / 32 * kSortDigits;
  u32* const begins = shared_at<u32>(layout.begins_at);
  u32* const next = shared_at<u32>(layout.next_at);
  SVM_ROLLED for (u32 digit = thread_in_block(); digit < kSortDigits; digit += block_threads()) {
    next[digit] = pass.counts[block_number() * kSortDigits + digit];
  }
  const SortTiles tiles = tiles_of_block(pass);
  SVM_ROLLED for (u32 n = tiles.begin; n < tiles.end; ++n) {
    const SortTile tile(pass, n);
    clear_counts(counts, block_threads() / 32 * kSortDigits);
    block_sync();
    u64 keys[kSortLaneRows];
    u32 ranks[kSortLaneRows];
    SVM_UNROLL for (u32 k = 0; k < kSortLaneRows; ++k) keys[k] = tile.key(pass, k);
    rank_rows(pass, tile, keys, warp_counts, ranks);
    block_sync();
    sum_over_warps(counts, begins);
    block_sync();
    if (thread_in_block() < 32) sum_lesser_digits(begins, begins);
    block_sync();
    SVM_UNROLL for (u32 k = 0; k < kSortLaneRows; ++k) {
      if (!tile.has(k)) continue;
      const u32 digit = tile.digit(pass, k, keys[k]);
      const u32 at = begins[digit] + warp_counts[digit] + ranks[k];
      tile_keys[at] = keys[k];
      tile_rows[at] = tile.row(pass, k);
    }
    block_sync();
    SVM_ROLLED for (u32 at = thread_in_block(); at < tile.inside; at += block_threads()) {
      const u64 key = tile_keys[at];
      const u32 digit = u32(key >> pass.shift) & (kSortDigits - 1);
      const u32 to = next[digit] + (at - begins[digit]);
      pass.moved_rows[to] = tile_rows[at];
      if (pass.moved_keys != nullptr) pass.moved_keys[to] = key;
    }
    block_sync();
    SVM_ROLLED for (u32 digit = thread_in_block(); digit < kSortDigits; digit += block_threads()) {
      const u32 end = digit + 1 < kSortDigits ? begins[digit + 1] : tile.inside;
      next[digit] += end - begins[digit];
    }
  }
}

// One launch. Steps are apart: a launch is of one, and needs the launch before it to be over.
SVM_INLINE void sort_rows(const SortPass& pass) {
  switch (pass.step) {
    case SortStep::kCount:
      return count_digits(pass);
    case SortStep::kPlace:
      return place_digits(pass);
    case SortStep::kMove:
      return move_rows(pass);
  }
}

}  // namespace shadowvm::kernels
