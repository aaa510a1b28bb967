// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Casts as Spark means them. Without ANSI: Java's (integers wrap, doubles saturate); 'checked' ones
// raise. A double to a decimal is not here: Spark goes through the shortest decimal text of the
// double.

#include "engine/kernels/common/arithmetic.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/decimal.h"

namespace shadowvm::kernels {

// An integer to a narrower one.
template <class T>
SVM_INLINE i64 wrap_to(i64 v) {
  return T(v);
}
template <class T>
SVM_INLINE i64 checked_to(KernelCall* call, i64 v) {
  if (T(v) != v) raise(call, kErrorCastOverflow);
  return T(v) == v ? v : 0;
}

// A double or float to an integer, towards zero: NaN is 0, values beyond the range are its ends.
// Bytes and shorts go through int and wrap, as in Java.
template <class T>
SVM_INLINE i64 double_to(double v) {
  if constexpr (sizeof(T) < 4) {
    return T(double_to<i32>(v));
  } else {
    constexpr double kEnd = sizeof(T) == 4 ? 0x1p31 : 0x1p63;
    constexpr T kMost = T(~(u64(1) << 63) >> (64 - 8 * sizeof(T)));
    if (is_nan(v)) return 0;
    return v >= kEnd ? kMost : v < -kEnd ? -kMost - 1 : T(v);
  }
}
// The same, raising when the integral part is out of range.
template <class T>
SVM_INLINE i64 checked_double_to(KernelCall* call, double v) {
  constexpr double kEnd = double(u64(1) << (8 * sizeof(T) - 1));
  const bool below = sizeof(T) == 8 ? v < -kEnd : v <= -kEnd - 1;
  if (is_nan(v) || v >= kEnd || below) {
    raise(call, kErrorCastOverflow);
    return 0;
  }
  return i64(v);
}

// An integer to a decimal(precision, scale).
SVM_INLINE bool integer_to_decimal(i64 v, u32 precision, u32 scale, i128* out) {
  return decimal_rescale(v, 0, scale, precision, out);
}

// A decimal to an integer, towards zero; the integral part wraps.
SVM_INLINE i128 decimal_integral(i128 v, u32 scale) {
  u128 rest;
  return with_sign(low_half(wide_divide(wide_of(magnitude(v)), power_of_ten(scale), &rest)), v < 0);
}
template <class T>
SVM_INLINE i64 decimal_to(i128 v, u32 scale) {
  return T(decimal_integral(v, scale));
}
template <class T>
SVM_INLINE i64 checked_decimal_to(KernelCall* call, i128 v, u32 scale) {
  const i128 integral = decimal_integral(v, scale);
  if (T(integral) != integral) raise(call, kErrorCastOverflow);
  return T(integral) == integral ? T(integral) : 0;
}

// A power of two as a double, -1022 <= exponent <= 1023.
SVM_INLINE double power_of_two(int exponent) {
  const u64 bits = u64(1023 + exponent) << 52;
  double power;
  __builtin_memcpy(&power, &bits, 8);
  return power;
}

// Bits of v, v > 0.
SVM_INLINE int bit_length(u128 v) {
  return v >> 64 != 0 ? 128 - __builtin_clzl(u64(v >> 64)) : 64 - __builtin_clzl(u64(v));
}

// The double nearest to a decimal, ties to even: the quotient is taken with 62 or 63 bits of which
// the last also says whether anything follows, so that the conversion below is the only rounding.
SVM_FUNCTION double decimal_to_double(i128 v, u32 scale) {
  if (v == 0) return 0;
  const u128 size = magnitude(v), power = power_of_ten(scale);
  const int shift = 62 - bit_length(size) + bit_length(power);  // -65 … 188
  const u128 up = u128(1) << (shift > 0 ? shift % 64 : 0);
  Wide dividend = wide_multiply(size, up);
  for (int limbs = shift > 0 ? shift / 64 : 0; limbs > 0; --limbs) {
    dividend = Wide{{0, dividend.limb[0], dividend.limb[1], dividend.limb[2]}};
  }
  u128 rest;
  u128 quotient = low_half(wide_divide(dividend, power, &rest));
  const u32 down = shift < 0 ? u32(-shift) : 0;
  const bool more = rest != 0 || (quotient & ((u128(1) << down) - 1)) != 0;
  const double nearest = double(i64(u64(quotient >> down) | more)) * power_of_two(-shift);
  return v < 0 ? -nearest : nearest;
}

// To bool: not zero; NaN is true.
SVM_INLINE bool to_bool(i64 v) { return v != 0; }
SVM_INLINE bool to_bool(i128 v) { return v != 0; }
SVM_INLINE bool to_bool(double v) { return !(v == 0); }

}  // namespace shadowvm::kernels
