// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The words of cuda/machine.h on the host. Threads are fibers of one thread that change places only
// where they wait for one another, so atomics are plain; blocks run one after another.

#include "engine/kernels/common/emulated_lane.h"
#include "engine/kernels/common/launch.h"

namespace shadowvm::kernels {

#define SVM_UNROLL
#define SVM_ROLLED
#define SVM_KERNEL_ENTRY(Argument)                                  \
  static void svm_emulated(const Argument* svm_argument);           \
  extern "C" void svm_kernel(void* lane) {                          \
    svm_lane = static_cast<EmulatedLane*>(lane);                    \
    svm_emulated(static_cast<const Argument*>(svm_lane->argument)); \
  }                                                                 \
  static void svm_emulated(const Argument* svm_argument)

// The fiber that runs. It comes back from a wait as itself.
static EmulatedLane* svm_lane = nullptr;

SVM_INLINE u32 thread_in_block() { return svm_lane->thread; }
SVM_INLINE u32 block_threads() { return svm_lane->block_threads; }
SVM_INLINE u32 block_number() { return svm_lane->block; }
SVM_INLINE u32 lane_number() { return svm_lane->thread % kWarpLanes; }

// What each of these lanes, which all come here, has.
struct LaneValues {
  u64 of[kWarpLanes];
};
SVM_INLINE LaneValues exchange_of_lanes(u32 lanes, u64 v) {
  EmulatedLane* const self = svm_lane;
  const u64* const taken = self->exchange(self, lanes, v);
  svm_lane = self;
  LaneValues values;
  __builtin_memcpy(&values, taken, sizeof values);
  return values;
}
// The lanes that have the same low bits as this one.
SVM_INLINE u32 lanes_alike_of(u32 lanes, u32 v, u32 bits) {
  const LaneValues values = exchange_of_lanes(lanes, v);
  u32 alike = 0;
  for (u32 lane = 0; lane < kWarpLanes; ++lane) {
    alike |= u32((u32(values.of[lane]) ^ v) << (32 - bits) == 0) << lane;
  }
  return alike & lanes;
}

SVM_INLINE u32 warp_ballot(bool vote) {
  const LaneValues votes = exchange_of_lanes(~0u, vote);
  u32 ballot = 0;
  for (u32 lane = 0; lane < kWarpLanes; ++lane) ballot |= u32(votes.of[lane]) << lane;
  return ballot;
}
SVM_INLINE void warp_sync() { exchange_of_lanes(~0u, 0); }
SVM_INLINE u64 take_from_lane(u64 v, int lane) { return exchange_of_lanes(~0u, v).of[lane]; }
template <u32 bits>
SVM_INLINE u32 lanes_alike(u32 v) {
  return lanes_alike_of(~0u, v, bits);
}
SVM_INLINE void block_sync() {
  EmulatedLane* const self = svm_lane;
  self->block_sync(self);
  svm_lane = self;
}

SVM_INLINE void memory_fence() {}

// Lanes are together as often as they can be. A place is known by where its call returns to, so a
// compiler must not make one call of two.
SVM_INLINE u32 lanes_here() {
  EmulatedLane* const self = svm_lane;
  u32 lanes = 0;
  [[clang::nomerge]] lanes = self->gather(self);
  svm_lane = self;
  return lanes;
}
SVM_INLINE u32 sum_of_lanes(u32 lanes, u32 v) {
  const LaneValues values = exchange_of_lanes(lanes, v);
  u32 sum = 0;
  for (u32 lane = 0; lane < kWarpLanes; ++lane) {
    sum += (lanes >> lane & 1) != 0 ? u32(values.of[lane]) : 0;
  }
  return sum;
}
SVM_INLINE u32 bits_of_lanes(u32 lanes, u32 v) {
  const LaneValues values = exchange_of_lanes(lanes, v);
  u32 bits = 0;
  for (u32 lane = 0; lane < kWarpLanes; ++lane) {
    bits |= (lanes >> lane & 1) != 0 ? u32(values.of[lane]) : 0;
  }
  return bits;
}
SVM_INLINE u32 same_of_lanes(u32 lanes, u32 v) { return lanes_alike_of(lanes, v, 32); }
SVM_INLINE u32 take_of_lanes(u32 lanes, u32 v, u32 lane) {
  return u32(exchange_of_lanes(lanes, v).of[lane]);
}

SVM_INLINE u32 shift_right(u32 word, u32 v) { return word >> (v & 31); }
SVM_INLINE u32 byte_of(u32 word, u32 at) { return word >> (8 * at) & 0xff; }
SVM_INLINE u32 half_of(u32 word, u32 at) { return word >> (16 * at) & 0xffff; }
SVM_INLINE u32 reversed(u32 v) {
  u32 r = 0;
  for (u32 k = 0; k < 32; ++k) r |= (v >> k & 1) << (31 - k);
  return r;
}
SVM_INLINE u32 with_bit(u32 bits, u32 v) { return bits >> 1 | v << 31; }
SVM_INLINE u32 with_more(u32 bits, u32 v, u32 not_limit) { return bits << 1 | (v > ~not_limit); }
SVM_INLINE u32 count_bits(u32 v) { return u32(__builtin_popcount(v)); }
SVM_INLINE u32 lowest_bit(u32 v) { return u32(__builtin_ctz(v)); }

SVM_INLINE u8* shared_memory() { return svm_lane->shared; }
SVM_INLINE bool is_within(const void* p, const void* first, u64 bytes) {
  return u64(static_cast<const u8*>(p) - static_cast<const u8*>(first)) < bytes;
}
SVM_INLINE bool is_shared(const void* p) {
  return is_within(p, svm_lane->shared, svm_lane->shared_bytes);
}
SVM_INLINE u32 shared_address(const void* p) {
  return u32(static_cast<const u8*>(p) - svm_lane->shared);
}
SVM_INLINE u32 load_shared_if(u32 asked, u32 address) {
  if (asked == 0) return 0xa5a5a5a5;
  const u8* const from = svm_lane->shared + address;
  if (!is_shared(from)) {
    svm_lane->touch_host(svm_lane, from, sizeof(u32), false);
    return 0;
  }
  return *reinterpret_cast<const u32*>(svm_lane->shared + address);
}

// Memory is touched in many ways, by plain loads and stores too, so the compile worker has every
// access told here but those to variables of the text itself: engine/vkernel/compile/worker/
// note_accesses.h. What is the host's must be what the device allows.
extern "C" __attribute__((noinline)) void svm_note_access(const void* p, u64 bytes, bool writes) {
  EmulatedLane* const lane = svm_lane;
  if (is_within(p, lane->memory, lane->memory_bytes) || is_shared(p) ||
      is_within(p, lane, sizeof *lane) || is_within(p, lane->stack, lane->stack_bytes)) {
    return;
  }
  lane->touch_host(lane, p, bytes, writes);
}

struct Words4 {
  u32 word[4];
};
SVM_INLINE Words4 stream_words4(const void* p) {
  Words4 v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
// What nobody asked for is anything but what lies there.
template <class V>
SVM_INLINE V stream_if(u32 asked, const void* p) {
  V v;
  __builtin_memset(&v, 0xa5, sizeof v);
  if (asked == 0) return v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
SVM_INLINE u32 stream_word_if(u32 asked, const void* p) { return stream_if<u32>(asked, p); }
SVM_INLINE u64 stream_words2_if(u32 asked, const void* p) { return stream_if<u64>(asked, p); }
SVM_INLINE Words4 stream_words4_if(u32 asked, const void* p) { return stream_if<Words4>(asked, p); }
SVM_INLINE Words4 near_words4_if(u32 asked, const void* p) { return stream_if<Words4>(asked, p); }
template <class V>
SVM_INLINE V load(const V* p) {
  return *p;
}
template <class V>
SVM_INLINE V load_if_asked(const V* p) {
  return load(p);
}
template <class V>
SVM_INLINE V load_once(const V* p) {
  return load(p);
}
template <class V>
SVM_INLINE V load_written(const V* p) {
  return load(p);
}
template <class V>
SVM_INLINE V load_shown(const V* p) {
  return load(p);
}
SVM_INLINE void store_words4(void* p, const Words4& v) { __builtin_memcpy(p, &v, sizeof v); }
SVM_INLINE void store_words2(void* p, u64 v) { __builtin_memcpy(p, &v, sizeof v); }

template <class V>
SVM_INLINE V atomic_add(V* p, V v) {
  const V old = *p;
  *p = old + v;
  return old;
}
SVM_INLINE u32 atomic_add_shared(u32* p, u32 v) { return atomic_add(p, v); }
SVM_INLINE u64 atomic_add_device(u64* p, u64 v) { return atomic_add(p, v); }
SVM_INLINE void atomic_min(i64* p, i64 v) { *p = v < *p ? v : *p; }
SVM_INLINE void atomic_max(i64* p, i64 v) { *p = v > *p ? v : *p; }
SVM_INLINE u32 atomic_or(u32* p, u32 v) {
  const u32 old = *p;
  *p = old | v;
  return old;
}
template <class V>
SVM_INLINE V atomic_swap_if(V* p, V old, V v) {
  const V found = *p;
  if (found == old) *p = v;
  return found;
}

}  // namespace shadowvm::kernels
