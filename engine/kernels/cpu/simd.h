// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The few SIMD primitives of the verbs, in three implementations chosen by what the compiler
// targets: AVX-512 with VBMI2, AVX2 with BMI2, and portable code. All work on blocks of 64 rows and
// a 64-bit mask of them. Stores may run up to 64 positions past the last one kept, never past first
// + 64.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

inline constexpr u32 kBlockRows = 64;

#define SVM_VECTOR(type, bytes) type __attribute__((vector_size(bytes)))

// An unaligned load of a whole vector.
template <class V>
SVM_INLINE V load_vector(const void* from) {
  V vector;
  __builtin_memcpy(&vector, from, sizeof(V));
  return vector;
}
template <class V>
SVM_INLINE void store_vector(void* to, V vector) {
  __builtin_memcpy(to, &vector, sizeof(V));
}

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VBMI2__)

using Bytes64 = SVM_VECTOR(char, 64);
using Words32 = SVM_VECTOR(short, 64);
using Ints16 = SVM_VECTOR(int, 64);
using Longs8 = SVM_VECTOR(long long, 64);
using Keys16 = SVM_VECTOR(u32, 64);

// Predicates of the compare builtins.
inline constexpr int kLessEqual = 2, kNotEqual = 4;

// Bit r of the result is bit 0 of lane[r], for 64 lanes.
SVM_INLINE u64 lane_mask(const u8* lane) {
  const Bytes64 zero = {};
  return u64(__builtin_ia32_ucmpb512_mask(load_vector<Bytes64>(lane) & (zero + char(1)), zero,
                                          kNotEqual, ~0ull));
}

inline constexpr Words32 kWordNumbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                         11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                         22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

SVM_INLINE u32 put_words(u16* out, Words32 words, u32 mask) {
  store_vector(out, __builtin_ia32_compresshi512_mask(words, Words32{}, mask));
  return u32(__builtin_popcount(mask));
}

// Writes first + r for every set bit r of the mask; returns how many.
SVM_INLINE u32 put_positions(u16* out, u32 first, u64 mask) {
  const Words32 low = kWordNumbers + short(first);
  const u32 kept = put_words(out, low, u32(mask));
  return kept + put_words(out + kept, low + short(32), u32(mask >> 32));
}

// Writes in[r] for every set bit r of the mask; 'out' may overlap 'in' from below. Reads 64 of
// 'in'.
SVM_INLINE u32 put_selected(u16* out, const u16* in, u64 mask) {
  const Words32 low = load_vector<Words32>(in), high = load_vector<Words32>(in + 32);
  const u32 kept = put_words(out, low, u32(mask));
  return kept + put_words(out + kept, high, u32(mask >> 32));
}

// v - low with wrap-around, as the signed vector that the compare takes.
template <class V, class U>
SVM_INLINE V offsets_from(const U* values, U low) {
  typedef U Unsigned __attribute__((vector_size(64)));
  return (V)(load_vector<Unsigned>(values) - low);
}
template <class V, class U>
SVM_INLINE V splat(U value) {
  typedef U Unsigned __attribute__((vector_size(64)));
  return (V)(Unsigned{} + value);
}

// Bit r of the result: values[r] - low <= length, unsigned; for 64 rows.
template <class U>
SVM_INLINE u64 range_mask(const U* values, U low, U length) {
  u64 mask = 0;
  for (u32 r = 0; r < 64; r += 64 / sizeof(U)) {
    if constexpr (sizeof(U) == 1) {
      const Bytes64 v = offsets_from<Bytes64>(values, low);
      mask = __builtin_ia32_ucmpb512_mask(v, splat<Bytes64>(length), kLessEqual, ~0ull);
    } else if constexpr (sizeof(U) == 2) {
      const Words32 v = offsets_from<Words32>(values + r, low);
      mask |= u64(u32(__builtin_ia32_ucmpw512_mask(v, splat<Words32>(length), kLessEqual, ~0u)))
              << r;
    } else if constexpr (sizeof(U) == 4) {
      const Ints16 v = offsets_from<Ints16>(values + r, low);
      mask |= u64(u16(__builtin_ia32_ucmpd512_mask(v, splat<Ints16>(length), kLessEqual, u16(~0u))))
              << r;
    } else {
      const Longs8 v = offsets_from<Longs8>(values + r, low);
      mask |= u64(u8(__builtin_ia32_ucmpq512_mask(v, splat<Longs8>(length), kLessEqual, u8(~0u))))
              << r;
    }
  }
  return mask;
}

// Whether the two bitmap masks exist: gathers beat scalar look-ups with AVX-512, not with AVX2.
inline constexpr bool kHasBitmapMasks = true;

// Which of 16 keys have their bit set.
SVM_INLINE u64 bitmap_mask_of_vector(Keys16 key, const u8* bits) {
  const Ints16 word = __builtin_ia32_gathersiv16si(Ints16{}, bits, (Ints16)(key >> 5), u16(~0u), 4);
  const Keys16 bit = (Keys16{} + 1) << (key & 31);
  return u16(__builtin_ia32_ucmpd512_mask(word & (Ints16)bit, Ints16{}, kNotEqual, u16(~0u)));
}

// Bit r of the result: bit values[r] + shift of the bitmap, for 64 rows.
template <class U>
SVM_INLINE u64 bitmap_mask(const U* values, u32 shift, const u8* bits) {
  typedef U Values __attribute__((vector_size(16 * sizeof(U))));
  u64 mask = 0;
  for (u32 r = 0; r < 64; r += 16) {
    const Keys16 key = __builtin_convertvector(load_vector<Values>(values + r), Keys16) + shift;
    mask |= bitmap_mask_of_vector(key, bits) << r;
  }
  return mask;
}

// The same for values[selection[r]]; reads up to three bytes past a value.
template <class U>
SVM_INLINE u64 bitmap_mask_selected(const U* values, const u16* selection, u32 shift,
                                    const u8* bits) {
  typedef u16 Positions __attribute__((vector_size(32)));
  u64 mask = 0;
  for (u32 r = 0; r < 64; r += 16) {
    const Ints16 at = __builtin_convertvector(load_vector<Positions>(selection + r), Ints16);
    Keys16 key = (Keys16)__builtin_ia32_gathersiv16si(Ints16{}, values, at, u16(~0u), sizeof(U));
    if constexpr (sizeof(U) < 4) key &= U(~U(0));
    mask |= bitmap_mask_of_vector(key + shift, bits) << r;
  }
  return mask;
}

#else

inline constexpr bool kHasBitmapMasks = false;

#if defined(__AVX2__) && defined(__BMI2__)

using Bytes32 = SVM_VECTOR(char, 32);
using Bytes16 = SVM_VECTOR(char, 16);
using Bytes8 = SVM_VECTOR(u8, 8);
using Words8 = SVM_VECTOR(u16, 16);

SVM_INLINE u32 byte_mask(Bytes32 bytes) { return u32(__builtin_ia32_pmovmskb256(bytes)); }

SVM_INLINE u64 lane_mask(const u8* lane) {
  using Words16 = SVM_VECTOR(u16, 32);
  const u32 low = byte_mask((Bytes32)(load_vector<Words16>(lane) << 7));
  const u32 high = byte_mask((Bytes32)(load_vector<Words16>(lane + 32) << 7));
  return u64(high) << 32 | low;
}

// The numbers of the set bits of an 8-bit mask, as words; then anything.
SVM_INLINE Words8 bit_numbers(u64 mask8) {
  const u64 bytes = __builtin_ia32_pdep_di(mask8, 0x0101010101010101u) * 255;
  return __builtin_convertvector((Bytes8)__builtin_ia32_pext_di(0x0706050403020100u, bytes),
                                 Words8);
}

SVM_INLINE u32 put_positions(u16* out, u32 first, u64 mask) {
  u32 kept = 0;
  for (u32 r = 0; r < 64; r += 8) {
    store_vector(out + kept, bit_numbers(mask >> r & 255) + u16(first + r));
    kept += u32(__builtin_popcountl(mask >> r & 255));
  }
  return kept;
}

SVM_INLINE u32 put_selected(u16* out, const u16* in, u64 mask) {
  u32 kept = 0;
  for (u32 r = 0; r < 64; r += 8) {
    const Words8 bytes_of = bit_numbers(mask >> r & 255) * u16(0x0202) + u16(0x0100);
    const Bytes16 words = load_vector<Bytes16>(in + r);
    store_vector(out + kept, __builtin_ia32_pshufb128(words, (Bytes16)bytes_of));
    kept += u32(__builtin_popcountl(mask >> r & 255));
  }
  return kept;
}

// Which of the 32 / sizeof(T) values lie in the range, one bit each.
template <class T>
SVM_INLINE u64 range_mask_of_vector(const T* values, T low, T length) {
  typedef T Values __attribute__((vector_size(32)));
  const Values zero = {};
  const u64 mask = byte_mask((Bytes32)(load_vector<Values>(values) - low <= zero + length));
  if constexpr (sizeof(T) == 1) return mask;
  if constexpr (sizeof(T) == 2) return __builtin_ia32_pext_di(mask, 0x55555555u);
  if constexpr (sizeof(T) == 4) return __builtin_ia32_pext_di(mask, 0x11111111u);
  return __builtin_ia32_pext_di(mask, 0x01010101u);
}

template <class T>
SVM_INLINE u64 range_mask(const T* values, T low, T length) {
  constexpr u32 kLanes = 32 / sizeof(T);
  u64 mask = 0;
  for (u32 r = 0; r < 64; r += kLanes) mask |= range_mask_of_vector(values + r, low, length) << r;
  return mask;
}

#else

SVM_INLINE u64 lane_mask(const u8* lane) {
  u64 mask = 0;
  for (u32 r = 0; r < 64; r += 8) {
    u64 bytes;
    __builtin_memcpy(&bytes, lane + r, 8);
    mask |= ((bytes & 0x0101010101010101u) * 0x0102040810204080u >> 56) << r;
  }
  return mask;
}

SVM_INLINE u32 put_positions(u16* out, u32 first, u64 mask) {
  u32 kept = 0;
  for (u32 r = 0; r < 64; ++r) {
    out[kept] = u16(first + r);
    kept += u32(mask >> r & 1);
  }
  return kept;
}

SVM_INLINE u32 put_selected(u16* out, const u16* in, u64 mask) {
  u32 kept = 0;
  for (u32 r = 0; r < 64; ++r) {
    out[kept] = in[r];
    kept += u32(mask >> r & 1);
  }
  return kept;
}

template <class T>
SVM_INLINE u64 range_mask(const T* values, T low, T length) {
  u64 mask = 0;
  for (u32 r = 0; r < 64; ++r) mask |= u64(T(values[r] - low) <= length) << r;
  return mask;
}

#endif
#endif

}  // namespace shadowvm::kernels
