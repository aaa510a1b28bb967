// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Decimals as Spark computes them: an integer times 10^-scale, HALF_UP, precision at most 38.
// Functions that can leave the result's precision return false and no result: null, or an overflow
// error under ANSI; the caller knows.

#include "engine/kernels/common/wide.h"

namespace shadowvm::kernels {

inline constexpr u32 kMaxPrecision = 38;

struct PowersOfTen {
  u128 power[kMaxPrecision + 1];
  constexpr PowersOfTen() : power() {
    power[0] = 1;
    for (u32 n = 1; n <= kMaxPrecision; ++n) power[n] = power[n - 1] * 10;
  }
};
inline constexpr PowersOfTen kPowersOfTen;

// 10^n, n <= 38; of i64, n <= 18.
SVM_INLINE u128 power_of_ten(u32 n) { return kPowersOfTen.power[n]; }
SVM_INLINE i64 small_power_of_ten(u32 n) { return i64(kPowersOfTen.power[n]); }

SVM_INLINE u128 magnitude(i128 v) { return v < 0 ? u128(0) - u128(v) : u128(v); }
SVM_INLINE i128 with_sign(u128 magnitude, bool negative) {
  return i128(negative ? u128(0) - magnitude : magnitude);
}

// *out = a * b; true when that needs more than 128 bits. NVRTC crashes on the compiler's own
// function for this.
SVM_INLINE bool wide_product_overflows(i128 a, i128 b, i128* out) {
#if defined(__CUDACC_RTC__)
  const bool negative = (a < 0) != (b < 0);
  const Wide product = wide_multiply(magnitude(a), magnitude(b));
  *out = with_sign(low_half(product), negative);
  const u128 most = (~u128(0) >> 1) + negative;
  return high_half(product) != 0 || low_half(product) > most;
#else
  return __builtin_mul_overflow(a, b, out);
#endif
}

// 10^10 values of so many digits cannot leave 38, in whatever order they are added up.
inline constexpr u32 kMaxSummedDigits = 28;

// Whether v has at most 'precision' digits.
SVM_INLINE bool decimal_fits(i128 v, u32 precision) {
  return magnitude(v) < power_of_ten(precision);
}
SVM_INLINE bool decimal_fits(i64 v, u32 precision) {
  return precision > 18 ||
         (v < small_power_of_ten(precision) && v > -small_power_of_ten(precision));
}

// v / 10^digits, HALF_UP, digits <= 18.
SVM_INLINE i64 round_decimal(i64 v, u32 digits) {
  const i64 power = small_power_of_ten(digits), quotient = v / power, rest = v % power;
  const i64 distance = rest < 0 ? -rest : rest;
  return quotient + (distance >= power - distance && digits > 0 ? (v < 0 ? -1 : 1) : 0);
}

// v / 10^digits, HALF_UP, digits <= 38; the result must fit 128 bits.
SVM_INLINE u128 round_wide(const Wide& v, u32 digits) {
  if (digits == 0) return low_half(v);
  u128 rest;
  const u128 power = power_of_ten(digits), quotient = low_half(wide_divide(v, power, &rest));
  return quotient + (rest >= power - rest);
}

// Signed result of a magnitude, when it has at most 'precision' digits.
SVM_INLINE bool give_decimal(u128 value, bool negative, u32 precision, i128* out) {
  *out = with_sign(value, negative);
  return value < power_of_ten(precision);
}

// v *= 10^digits, digits <= 76; false when it does not fit.
SVM_INLINE bool scale_wide(Wide& v, u32 digits) {
  for (; digits > 18; digits -= 18) {
    if (wide_scale(v, u64(power_of_ten(18))) != 0) return false;
  }
  return wide_scale(v, u64(power_of_ten(digits))) == 0;
}

// The magnitude 'v' of scale 'from' as a decimal(precision, to); 'from' is at most 38 more.
SVM_FUNCTION bool rescale_wide(Wide v, bool negative, u32 from, u32 to, u32 precision, i128* out) {
  if (to >= from) {
    const bool fits = scale_wide(v, to - from) && high_half(v) == 0;
    return give_decimal(low_half(v), negative, precision, out) && fits;
  }
  if (!wide_less(v, wide_multiply(power_of_ten(from - to), power_of_ten(precision)))) return false;
  return give_decimal(round_wide(v, from - to), negative, precision, out);
}

// v of scale 'from' as a decimal(precision, to).
SVM_INLINE bool decimal_rescale(i128 v, u32 from, u32 to, u32 precision, i128* out) {
  return rescale_wide(wide_of(magnitude(v)), v < 0, from, to, precision, out);
}

// a of scale sa + b of scale sb as a decimal(precision, scale).
SVM_FUNCTION bool decimal_add(i128 a, u32 sa, i128 b, u32 sb, u32 precision, u32 scale, i128* out) {
  const u32 common = sa > sb ? sa : sb;
  Wide left = wide_of(magnitude(a)), right = wide_of(magnitude(b));
  scale_wide(left, common - sa);  // 127 bits and 38 digits always fit
  scale_wide(right, common - sb);
  bool negative = a < 0;
  if ((a < 0) == (b < 0)) {
    left = wide_add(left, right);
  } else if (wide_less(left, right)) {
    left = wide_subtract(right, left);
    negative = b < 0;
  } else {
    left = wide_subtract(left, right);
  }
  return rescale_wide(left, negative, common, scale, precision, out);
}
SVM_INLINE bool decimal_subtract(i128 a, u32 sa, i128 b, u32 sb, u32 precision, u32 scale,
                                 i128* out) {
  return decimal_add(a, sa, -b, sb, precision, scale, out);
}

// a × b, of scales that add up to product_scale, as a decimal(precision, scale). Spark cuts a
// product to 39 digits and rounds that; what it cuts off never decides, so one rounding is the
// same. (Versions before 3.5.1 rounded twice.) So it is with quotients.
SVM_FUNCTION bool decimal_multiply(i128 a, i128 b, u32 product_scale, u32 precision, u32 scale,
                                   i128* out) {
  const bool negative = (a < 0) != (b < 0);
  Wide product = wide_multiply(magnitude(a), magnitude(b));
  if (product_scale > scale + kMaxPrecision) {
    u128 cut_off;
    product = wide_divide(product, power_of_ten(product_scale - scale - kMaxPrecision), &cut_off);
    product_scale = scale + kMaxPrecision;
  }
  return rescale_wide(product, negative, product_scale, scale, precision, out);
}

// a of scale sa / b of scale sb as a decimal(precision, scale). False when b is 0.
SVM_FUNCTION bool decimal_divide(i128 a, u32 sa, i128 b, u32 sb, u32 precision, u32 scale,
                                 i128* out) {
  Wide dividend = wide_of(magnitude(a)), divisor = wide_of(magnitude(b));
  *out = 0;
  if (b == 0) return false;
  if (scale + sb >= sa) {
    if (!scale_wide(dividend, scale + sb - sa)) return false;
  } else {
    scale_wide(divisor, sa - sb - scale);
    if (high_half(divisor) != 0) return true;  // far above twice the dividend: rounds to 0
  }
  u128 rest;
  const u128 by = low_half(divisor);
  const Wide quotient = wide_divide(dividend, by, &rest);
  if (high_half(quotient) != 0 || low_half(quotient) >= power_of_ten(precision)) return false;
  const u128 rounded = low_half(quotient) + (rest >= by - rest);
  return give_decimal(rounded, (a < 0) != (b < 0), precision, out);
}

}  // namespace shadowvm::kernels
