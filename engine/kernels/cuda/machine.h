// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The machine under the verbs: threads, warps, shared memory, atomics. Everything else in this
// folder is written in these words. NVRTC compiles them to the card's instructions; any other
// compiler gets cuda/emulation.h, with which the same text runs on the host.

#include "engine/kernels/cuda/builtins.h"
// A lane's intermediate results are of one row; this comes before abi.h.
#define SVM_TILE_ROWS 1
#include "engine/kernels/common/inline.h"
#include "engine/kernels/common/launch.h"

namespace shadowvm::kernels {
// Quick code is there until better code is compiled, and costs a fraction of its compile time: a
// row a lane from the start (cuda/quick_tile.h), rows read where they lie, and of shared memory
// nothing but the launch's argument. What a text says again and again, SVM_ONCE, is a function that
// it calls there; it is part of whoever says it in full code.
#if defined(SVM_QUICK)
inline constexpr bool kQuick = true;
#define SVM_ONCE static inline __attribute__((noinline))
#else
inline constexpr bool kQuick = false;
#define SVM_ONCE SVM_INLINE
#endif
}  // namespace shadowvm::kernels

#if !defined(__CUDACC_RTC__)
#include "engine/kernels/cuda/emulation.h"
#else

namespace shadowvm::kernels {

#define SVM_UNROLL _Pragma("unroll")
// Where a loop runs once a block or seldom: what it is unrolled to costs more to compile than it
// saves.
#define SVM_ROLLED _Pragma("unroll 1")
// One block of all its threads a processor: what is in shared memory is there once.
#define SVM_KERNEL_ENTRY(Argument) \
  extern "C" __global__ void __launch_bounds__(1024, 1) svm_kernel(const Argument* svm_argument)

SVM_INLINE u32 thread_in_block() { return threadIdx.x; }
SVM_INLINE u32 block_threads() { return blockDim.x; }
SVM_INLINE u32 block_number() { return blockIdx.x; }
SVM_INLINE u32 lane_number() { return threadIdx.x & 31; }

// All lanes of a warp come together to these.
SVM_INLINE u32 warp_ballot(bool vote) { return __ballot_sync(~0u, vote); }
SVM_INLINE void warp_sync() { __syncwarp(); }
// What one of the lanes has.
SVM_INLINE u64 take_from_lane(u64 v, int lane) {
  return __shfl_sync(~0u, (unsigned long long)(v), lane);
}
// The lanes that have the same low bits as this one.
template <u32 bits>
SVM_INLINE u32 lanes_alike(u32 v) {
  u32 alike = ~0u;
  SVM_UNROLL for (u32 bit = 0; bit < bits; ++bit) {
    const bool is_set = (v >> bit & 1) != 0;
    const u32 lanes = warp_ballot(is_set);
    alike &= is_set ? lanes : ~lanes;
  }
  return alike;
}
SVM_INLINE void block_sync() { __syncthreads(); }
// What this lane has written is there for all before what it writes next.
SVM_INLINE void memory_fence() { __threadfence(); }

// Lanes that happen to be here together, any number of them; the sum of what they hold, of 16 bits
// each; all bits that any of them holds; those of them that hold the same as this one; and what one
// of these has.
SVM_INLINE u32 lanes_here() { return __activemask(); }
SVM_INLINE u32 sum_of_lanes(u32 lanes, u32 v) { return __reduce_add_sync(lanes, v); }
SVM_INLINE u32 bits_of_lanes(u32 lanes, u32 v) { return __reduce_or_sync(lanes, v); }
SVM_INLINE u32 same_of_lanes(u32 lanes, u32 v) { return __match_any_sync(lanes, v); }
SVM_INLINE u32 take_of_lanes(u32 lanes, u32 v, u32 lane) {
  return __shfl_sync(lanes, v, int(lane));
}

// Bit v mod 32 of a word, and what is above it.
SVM_INLINE u32 shift_right(u32 word, u32 v) { return __funnelshift_r(word, 0, v); }
// Byte or half 'at' of a word.
SVM_INLINE u32 byte_of(u32 word, u32 at) { return __byte_perm(word, 0, 0x4440 | at); }
SVM_INLINE u32 half_of(u32 word, u32 at) { return __byte_perm(word, 0, at == 0 ? 0x4410 : 0x4432); }
SVM_INLINE u32 reversed(u32 v) { return __brev(v); }
// Bits that are collected one after the other. The last one's place is the highest: bit 0 of v; or
// the lowest: whether v is more than a limit, of which the complement is given.
SVM_INLINE u32 with_bit(u32 bits, u32 v) { return __funnelshift_r(bits, v, 1); }
SVM_INLINE u32 with_more(u32 bits, u32 v, u32 not_limit) {
  u32 sum, more;
  asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, %4;"
      : "=r"(sum), "=r"(more)
      : "r"(v), "r"(not_limit), "r"(bits));
  return more;
}
SVM_INLINE u32 count_bits(u32 v) { return u32(__popc(v)); }
SVM_INLINE u32 lowest_bit(u32 v) { return u32(__ffs(int(v))) - 1; }

SVM_INLINE u8* shared_memory() {
  extern __shared__ uint4 svm_shared[];
  return reinterpret_cast<u8*>(svm_shared);
}
// Whether something that may be in shared memory is; quick code puts nothing of the kind there.
SVM_INLINE bool is_shared(const void* p) { return !kQuick && __isShared(p); }
// Where it is in shared memory; and a word there, or anything where nobody asks.
SVM_INLINE u32 shared_address(const void* p) { return u32(__cvta_generic_to_shared(p)); }
SVM_INLINE u32 load_shared_if(u32 asked, u32 address) {
  // The address itself is left then: a register that kept what it held would be taken all along.
  u32 v = address;
  asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.shared.u32 %0, [%0];}"
               : "+r"(v)
               : "r"(asked));
  return v;
}

// Memory that no kernel writes while it is read. Whole stretches of columns pass the first-level
// cache by, so that what is read again and again stays there.
struct Words4 {
  u32 word[4];
};
SVM_INLINE Words4 stream_words4(const void* p) {
  Words4 v;
  asm("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
      : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
      : "l"(p));
  return v;
}
// The same where it is asked for, or else anything: zeros, since registers that kept what they held
// would be taken all along.
SVM_INLINE Words4 stream_words4_if(u32 asked, const void* p) {
  Words4 v = {0, 0, 0, 0};
  asm volatile(
      "{.reg .pred p; setp.ne.u32 p, %5, 0;"
      " @p ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];}"
      : "+r"(v.word[0]), "+r"(v.word[1]), "+r"(v.word[2]), "+r"(v.word[3])
      : "l"(p), "r"(asked));
  return v;
}
SVM_INLINE u32 stream_word_if(u32 asked, const void* p) {
  u32 v = 0;
  asm volatile(
      "{.reg .pred p; setp.ne.u32 p, %2, 0;"
      " @p ld.global.nc.L1::no_allocate.u32 %0, [%1];}"
      : "+r"(v)
      : "l"(p), "r"(asked));
  return v;
}
SVM_INLINE u64 stream_words2_if(u32 asked, const void* p) {
  u64 v = 0;
  asm volatile(
      "{.reg .pred p; setp.ne.u32 p, %2, 0;"
      " @p ld.global.nc.L1::no_allocate.u64 %0, [%1];}"
      : "+l"(v)
      : "l"(p), "r"(asked));
  return v;
}
// A part of a sector of which the same lane reads the rest next: that must not come from afar
// again, least of all from the host's memory, which no other cache keeps.
SVM_INLINE Words4 near_words4_if(u32 asked, const void* p) {
  Words4 v = {0, 0, 0, 0};
  asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p ld.global.nc.v4.u32 {%0,%1,%2,%3}, [%4];}"
               : "+r"(v.word[0]), "+r"(v.word[1]), "+r"(v.word[2]), "+r"(v.word[3])
               : "l"(p), "r"(asked));
  return v;
}
SVM_INLINE void store_words4(void* p, const Words4& v) {
  *static_cast<uint4*>(p) = make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]);
}
SVM_INLINE void store_words2(void* p, u64 v) { *static_cast<u64*>(p) = v; }
SVM_INLINE u8 load(const u8* p) { return __ldg(p); }
SVM_INLINE u16 load(const u16* p) { return __ldg(p); }
SVM_INLINE u32 load(const u32* p) { return __ldg(p); }
SVM_INLINE u64 load(const u64* p) { return __ldg(p); }
template <class V>
SVM_INLINE V load(const V* p) {
  return *p;
}
// The same where a compiler may find that nobody asks for it, or that it is there: those above stay
// until late in a compile, in the order in which they are written.
SVM_INLINE u64 load_if_asked(const u64* p) {
  u64 v;
  asm("ld.global.nc.u64 %0, [%1];" : "=l"(v) : "l"(p));
  return v;
}
// What is not read again soon passes the first-level cache by: what is, stays there.
SVM_INLINE u8 load_once(const u8* p) {
  u32 v;
  asm("ld.global.nc.L1::no_allocate.u8 %0, [%1];" : "=r"(v) : "l"(p));
  return u8(v);
}
SVM_INLINE u16 load_once(const u16* p) {
  u32 v;
  asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=r"(v) : "l"(p));
  return u16(v);
}
SVM_INLINE u32 load_once(const u32* p) {
  u32 v;
  asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(v) : "l"(p));
  return v;
}
SVM_INLINE u64 load_once(const u64* p) {
  u64 v;
  asm("ld.global.nc.L1::no_allocate.u64 %0, [%1];" : "=l"(v) : "l"(p));
  return v;
}
// But for wide decimals.
template <class V>
SVM_INLINE V load_once(const V* p) {
  if constexpr (sizeof(V) == 4) {
    return __builtin_bit_cast(V, load_once(reinterpret_cast<const u32*>(p)));
  } else if constexpr (sizeof(V) == 8) {
    return __builtin_bit_cast(V, load_once(reinterpret_cast<const u64*>(p)));
  } else {
    return load(p);
  }
}
// Memory that this warp may have written.
template <class V>
SVM_INLINE V load_written(const V* p) {
  return *p;
}
// What another lane may have shown just now: what that has written before a memory_fence() ahead of
// it is there as well.
SVM_INLINE u32 load_shown(const u32* p) {
  u32 v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
SVM_INLINE u64 load_shown(const u64* p) {
  u64 v;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
  return v;
}

SVM_INLINE u32 atomic_add(u32* p, u32 v) { return atomicAdd(p, v); }
// Where it is known to be shared memory, which spares a test of each address.
SVM_INLINE u32 atomic_add_shared(u32* p, u32 v) {
  u32 old;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;"
               : "=r"(old)
               : "r"(shared_address(p)), "r"(v)
               : "memory");
  return old;
}
SVM_INLINE u64 atomic_add(u64* p, u64 v) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(p), (unsigned long long)(v));
}
// Where it is known to be the device's memory. Of shared memory 64 bits are added by a loop, which
// whoever may meet an address there has to hold.
SVM_INLINE u64 atomic_add_device(u64* p, u64 v) {
  u64 old;
  asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
  return old;
}
SVM_INLINE void atomic_add(double* p, double v) { atomicAdd(p, v); }
SVM_INLINE void atomic_min(i64* p, i64 v) { atomicMin(reinterpret_cast<long long*>(p), v); }
SVM_INLINE void atomic_max(i64* p, i64 v) { atomicMax(reinterpret_cast<long long*>(p), v); }
SVM_INLINE u32 atomic_or(u32* p, u32 v) { return atomicOr(p, v); }
SVM_INLINE u32 atomic_swap_if(u32* p, u32 old, u32 v) { return atomicCAS(p, old, v); }
SVM_INLINE u64 atomic_swap_if(u64* p, u64 old, u64 v) {
  return atomicCAS(reinterpret_cast<unsigned long long*>(p), (unsigned long long)(old),
                   (unsigned long long)(v));
}

}  // namespace shadowvm::kernels

#endif
