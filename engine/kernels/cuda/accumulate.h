// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Accumulators: words of a group's row, in shared memory or in the device's, which many lanes add
// to at once. Sums of 64 and 128 bits are exact: a part that runs over carries into the next one,
// and it does not matter who carries first. What the words mean, and what they start at, is said in
// cpu/accumulate.h.

#include "engine/kernels/common/arithmetic.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/decimal.h"
#include "engine/kernels/common/hash.h"
#include "engine/kernels/common/text_match.h"
#include "engine/kernels/cuda/machine.h"

namespace shadowvm::kernels {

// Shared memory adds 32 bits by one instruction, 64 only by trying again and again.
template <u32 kParts, class V>
SVM_INLINE void add_to_shared(u32* parts, V v) {
  SVM_UNROLL for (u32 k = 0; k < kParts; ++k) {
    const u32 part = u32(v);
    v >>= 32;
    if (part != 0 && u32(atomic_add_shared(parts + k, part) + part) < part) v += 1;
  }
}

SVM_INLINE void add_to_device(i64* r, i64 v) {
  atomic_add_device(reinterpret_cast<u64*>(r), u64(v));
}
SVM_INLINE void add_wide_to_device(i64* r, i128 v) {
  u64* const halves = reinterpret_cast<u64*>(r);
  const u64 low = u64(v);
  const bool carry = u64(atomic_add_device(halves, low) + low) < low;
  const u64 high = u64(u128(v) >> 64) + carry;
  if (high != 0) atomic_add_device(halves + 1, high);
}

SVM_INLINE void sum_i64(i64* r, i64 v) {
  if (is_shared(r)) {
    add_to_shared<2>(reinterpret_cast<u32*>(r), u64(v));
  } else {
    add_to_device(r, v);
  }
}
SVM_INLINE void sum_i128(i64* r, i128 v) {
  if (is_shared(r)) {
    add_to_shared<4>(reinterpret_cast<u32*>(r), u128(v));
  } else {
    add_wide_to_device(r, v);
  }
}
template <class R>
SVM_INLINE void sum_i128_checked(KernelCall* call, R r, i128 v) {
  if (!decimal_fits(v, kMaxSummedDigits)) raise(call, kErrorOverflow);
  sum_i128(r, v);
}
SVM_INLINE void sum_double(i64* r, double v) { atomic_add(reinterpret_cast<double*>(r), v); }
// Every addition is looked at, in the order in which they happen to come.
SVM_INLINE bool overflows(i64* r, i64 v) {
  const i64 old = i64(atomic_add(reinterpret_cast<u64*>(r), u64(v)));
  i64 sum;
  return __builtin_add_overflow(old, v, &sum);
}
SVM_INLINE void sum_i64_checked(KernelCall* call, i64* r, i64 v) {
  if (overflows(r, v)) raise(call, kErrorOverflow);
}

// No block sees 2^32 rows; where it may see more pairs of rows, groups are not in shared memory.
SVM_INLINE void count_row(i64* r) {
  if (is_shared(r)) {
    atomic_add_shared(reinterpret_cast<u32*>(r), 1u);
  } else {
    add_to_device(r, 1);
  }
}

SVM_INLINE void min_i64(i64* r, i64 v) {
  if (v < *static_cast<volatile i64*>(r)) atomic_min(r, v);
}
SVM_INLINE void max_i64(i64* r, i64 v) {
  if (v > *static_cast<volatile i64*>(r)) atomic_max(r, v);
}

// Doubles in Spark's order, NaN largest.
template <bool kLeast>
SVM_INLINE void keep_double(i64* r, double v) {
  u64 bits, old = *reinterpret_cast<volatile u64*>(r);
  __builtin_memcpy(&bits, &v, 8);
  for (;;) {
    double held;
    __builtin_memcpy(&held, &old, 8);
    if (!(kLeast ? float_less(v, held) : float_less(held, v))) return;
    const u64 found = atomic_swap_if(reinterpret_cast<u64*>(r), old, bits);
    if (found == old) return;
    old = found;
  }
}
SVM_INLINE void min_double(i64* r, double v) { keep_double<true>(r, v); }
SVM_INLINE void max_double(i64* r, double v) { keep_double<false>(r, v); }

// Decimals of more than 18 digits, of which there are no atomics: whoever changes one puts this in
// its upper half meanwhile, which no decimal of 38 digits has, nor what minima and maxima start at.
// They are never in shared memory: to merge them there would lengthen every kernel that has groups.
inline constexpr u64 kBusyHalf = 0x7ffffffffffffffeUL;
SVM_INLINE i128 wide_of(u64 low, u64 high) { return i128(u128(high) << 64 | low); }
template <bool kLeast>
SVM_INLINE void keep_wide(i64* r, i128 v) {
  volatile u64* const halves = reinterpret_cast<volatile u64*>(r);
  for (;;) {
    // With the same upper half before and after, the lower one was its own: values only fall, or
    // only rise. Most rows end here, so they need not stand in line.
    const u64 high = halves[1];
    memory_fence();
    const u64 low = halves[0];
    memory_fence();
    if (high == kBusyHalf || halves[1] != high) continue;
    if (kLeast ? v >= wide_of(low, high) : v <= wide_of(low, high)) return;
    if (atomic_swap_if(reinterpret_cast<u64*>(r) + 1, high, kBusyHalf) != high) continue;
    memory_fence();
    const i128 held = wide_of(halves[0], high);
    const bool taken = kLeast ? v < held : v > held;
    if (taken) halves[0] = u64(v);
    memory_fence();
    halves[1] = taken ? u64(u128(v) >> 64) : high;
    return;
  }
}
SVM_INLINE void min_i128(i64* r, i128 v) { keep_wide<true>(r, v); }
SVM_INLINE void max_i128(i64* r, i128 v) { keep_wide<false>(r, v); }

// Strings: two words, an address and the rest, and never in shared memory either. Whoever changes
// one puts kBusySlot in its first word meanwhile. Addresses have 48 bits; above them is counted how
// often it was changed, so that with the same first word before and after, the second one was its
// own. The host takes the count off.
SVM_INLINE Text string_of(u64 first, u64 second) {
  return Text{reinterpret_cast<const char*>(first & kSlotPayload), u32(second), u32(second >> 32)};
}
template <bool kLeast>
SVM_INLINE bool replaces(const Text& v, const Text& held) {
  if (held.data == nullptr) return true;
  const int order = text_compare(v, held);
  return kLeast ? order < 0 : order > 0;
}
template <bool kLeast>
SVM_FUNCTION void keep_string(i64* r, const Text& v) {
  u64* const words = reinterpret_cast<u64*>(r);
  // One without bytes may be nowhere, which stands for none.
  const u64 data = v.data != nullptr ? reinterpret_cast<u64>(v.data) : reinterpret_cast<u64>(r);
  for (;;) {
    const u64 first = load_shown(words);
    const u64 second = load_shown(words + 1);
    if (first == kBusySlot || load_shown(words) != first) continue;
    if (!replaces<kLeast>(v, string_of(first, second))) return;
    if (atomic_swap_if(words, first, kBusySlot) != first) continue;
    memory_fence();
    static_cast<volatile u64*>(words)[1] = u64(v.prefix) << 32 | v.size;
    memory_fence();
    const u64 changes = (first & ~kSlotPayload) + (kSlotPayload + 1);
    static_cast<volatile u64*>(words)[0] = changes | data;
    return;
  }
}
SVM_INLINE void min_stable_text(i64* r, const Text& v) { keep_string<true>(r, v); }
SVM_INLINE void max_stable_text(i64* r, const Text& v) { keep_string<false>(r, v); }

// A word of the one group of an aggregate without keys: lanes that come together add up what they
// have first, or they would stand in line for it.
struct SingleWord {
  i64* word;
};
struct SingleGroup {
  i64* row;
  SVM_MEMBER explicit SingleGroup(const KernelCall* call) : row(call->dense) {}
  SVM_MEMBER SingleWord operator+(u32 n) const { return SingleWord{row + n}; }
};

SVM_INLINE void sum_i64(SingleWord r, i64 v) {
  const u32 lanes = lanes_here();
  u64 sum = 0;
  SVM_UNROLL for (u32 shift = 0; shift < 64; shift += 16) {
    sum += u64(sum_of_lanes(lanes, u32(u64(v) >> shift) & 0xffff)) << shift;
  }
  if (lane_number() == lowest_bit(lanes)) sum_i64(r.word, i64(sum));
}
SVM_INLINE void sum_i64_checked(KernelCall* call, SingleWord r, i64 v) {
  const u32 lanes = lanes_here();
  // Of the top 16 bits, with the sign, the sum is taken as if all were larger by 2^15.
  const u64 bits = u64(v) ^ u64(1) << 63;
  i128 sum = -(i128(count_bits(lanes)) << 63);
  SVM_UNROLL for (u32 shift = 0; shift < 64; shift += 16) {
    sum += i128(sum_of_lanes(lanes, u32(bits >> shift) & 0xffff)) << shift;
  }
  if (lane_number() != lowest_bit(lanes)) return;
  if (sum != i64(sum)) return raise(call, kErrorOverflow);
  sum_i64_checked(call, r.word, i64(sum));
}
SVM_INLINE void count_row(SingleWord r) {
  const u32 lanes = lanes_here();
  if (lane_number() == lowest_bit(lanes)) sum_i64(r.word, i64(count_bits(lanes)));
}
// Every row of the tile.
SVM_INLINE void count_rows(SingleGroup group, u32 rows) {
  if (lane_number() == 0) sum_i64(group.row, i64(rows));
}
SVM_INLINE void sum_i128(SingleWord r, i128 v) { sum_i128(r.word, v); }
SVM_INLINE void sum_double(SingleWord r, double v) { sum_double(r.word, v); }
SVM_INLINE void min_i64(SingleWord r, i64 v) { min_i64(r.word, v); }
SVM_INLINE void max_i64(SingleWord r, i64 v) { max_i64(r.word, v); }
SVM_INLINE void min_i128(SingleWord r, i128 v) { min_i128(r.word, v); }
SVM_INLINE void max_i128(SingleWord r, i128 v) { max_i128(r.word, v); }
SVM_INLINE void min_double(SingleWord r, double v) { min_double(r.word, v); }
SVM_INLINE void max_double(SingleWord r, double v) { max_double(r.word, v); }

SVM_INLINE void min_stable_text(SingleWord r, const Text& v) { min_stable_text(r.word, v); }
SVM_INLINE void max_stable_text(SingleWord r, const Text& v) { max_stable_text(r.word, v); }

// What a segment holds stays where it is until the host has copied it.
template <class R>
SVM_INLINE void min_text(const KernelCall*, R r, const Text& v) {
  min_stable_text(r, v);
}
template <class R>
SVM_INLINE void max_text(const KernelCall*, R r, const Text& v) {
  max_stable_text(r, v);
}

// A block's accumulator into the device's; false when it overflows. Not told of the call, which
// would then have an address, and lie in memory.
SVM_FUNCTION bool merge_word(MergeOp op, i64* into, const i64* from) {
  switch (op) {
    case MergeOp::kAdd:
      add_to_device(into, *from);
      break;
    case MergeOp::kAddChecked:
      return !overflows(into, *from);
    case MergeOp::kAddWide:
      add_wide_to_device(into, wide_of(u64(from[0]), u64(from[1])));
      break;
    case MergeOp::kAddDouble:
      sum_double(into, *reinterpret_cast<const double*>(from));
      break;
    case MergeOp::kMin:
      min_i64(into, *from);
      break;
    case MergeOp::kMax:
      max_i64(into, *from);
      break;
    case MergeOp::kMinDouble:
      min_double(into, *reinterpret_cast<const double*>(from));
      break;
    case MergeOp::kMaxDouble:
      max_double(into, *reinterpret_cast<const double*>(from));
      break;
    case MergeOp::kSecondWord:
      break;
  }
  return true;
}

}  // namespace shadowvm::kernels
