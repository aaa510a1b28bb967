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

SVM_INLINE u32 warp_ballot(bool vote) {
  EmulatedLane* const self = svm_lane;
  const u64* const votes = self->exchange(self, vote);
  svm_lane = self;
  u32 ballot = 0;
  for (u32 lane = 0; lane < kWarpLanes; ++lane) ballot |= u32(votes[lane]) << lane;
  return ballot;
}
SVM_INLINE void warp_sync() { warp_ballot(false); }
SVM_INLINE u64 take_from_lane(u64 v, int lane) {
  EmulatedLane* const self = svm_lane;
  const u64* const values = self->exchange(self, v);
  svm_lane = self;
  return values[lane];
}
template <u32 bits>
SVM_INLINE u32 lanes_alike(u32 v) {
  EmulatedLane* const self = svm_lane;
  const u64* const values = self->exchange(self, v);
  svm_lane = self;
  u32 alike = 0;
  for (u32 lane = 0; lane < kWarpLanes; ++lane) {
    alike |= u32((u32(values[lane]) ^ v) << (32 - bits) == 0) << lane;
  }
  return alike;
}
SVM_INLINE void block_sync() {
  EmulatedLane* const self = svm_lane;
  self->block_sync(self);
  svm_lane = self;
}

SVM_INLINE void memory_fence() {}

// Alone is one of the ways in which lanes may happen to be together.
SVM_INLINE u32 lanes_here() { return 1u << lane_number(); }
SVM_INLINE u32 sum_of_lanes(u32, u32 v) { return v; }
SVM_INLINE u32 bits_of_lanes(u32, u32 v) { return v; }
SVM_INLINE u32 same_of_lanes(u32 lanes, u32) { return lanes; }
SVM_INLINE u32 take_of_lanes(u32, u32 v, u32) { return v; }

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
SVM_INLINE bool is_shared(const void* p) {
  return u64(static_cast<const u8*>(p) - svm_lane->shared) < svm_lane->shared_bytes;
}
SVM_INLINE u32 shared_address(const void* p) {
  return u32(static_cast<const u8*>(p) - svm_lane->shared);
}
SVM_INLINE u32 load_shared_if(u32 asked, u32 address) {
  if (asked == 0) return 0xa5a5a5a5;
  const u8* const from = svm_lane->shared + address;
  if (!is_shared(from)) {
    svm_lane->read_host(svm_lane, from, sizeof(u32));
    return 0;
  }
  return *reinterpret_cast<const u32*>(svm_lane->shared + address);
}

// A load from the host's memory must be one the device allows.
SVM_INLINE void note_load(const void* p, u64 bytes) {
  if (is_shared(p)) return;
  if (u64(static_cast<const u8*>(p) - svm_lane->memory) < svm_lane->memory_bytes) return;
  svm_lane->read_host(svm_lane, p, bytes);
}

struct Words4 {
  u32 word[4];
};
SVM_INLINE Words4 stream_words4(const void* p) {
  note_load(p, 16);
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
  note_load(p, sizeof v);
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
SVM_INLINE u32 stream_word_if(u32 asked, const void* p) { return stream_if<u32>(asked, p); }
SVM_INLINE u64 stream_words2_if(u32 asked, const void* p) { return stream_if<u64>(asked, p); }
SVM_INLINE Words4 stream_words4_if(u32 asked, const void* p) { return stream_if<Words4>(asked, p); }
SVM_INLINE Words4 near_words4_if(u32 asked, const void* p) { return stream_if<Words4>(asked, p); }
template <class V>
SVM_INLINE V load(const V* p) {
  note_load(p, sizeof(V));
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
