// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Operations that can lack a result, in one shape: try_x(operands…, &result) is false then. What
// that means (null, or an error under ANSI) is the caller's to say, so that an operation whose
// operands are null is never attempted.

#include "engine/kernels/common/cast.h"

namespace shadowvm::kernels {

// Integers of width T, held in i64.
template <class T>
SVM_INLINE bool try_add(i64 a, i64 b, i64* out) {
  T result;
  const bool fits = !__builtin_add_overflow(a, b, &result);
  *out = result;
  return fits;
}
template <class T>
SVM_INLINE bool try_subtract(i64 a, i64 b, i64* out) {
  T result;
  const bool fits = !__builtin_sub_overflow(a, b, &result);
  *out = result;
  return fits;
}
template <class T>
SVM_INLINE bool try_multiply(i64 a, i64 b, i64* out) {
  T result;
  const bool fits = !__builtin_mul_overflow(a, b, &result);
  *out = result;
  return fits;
}
template <class T>
SVM_INLINE bool try_negate(i64 a, i64* out) {
  return try_subtract<T>(0, a, out);
}

// Division and remainder lack a result when the divisor is zero.
SVM_INLINE bool try_divide(double a, double b, double* out) {
  *out = a / b;
  return b != 0;
}
SVM_INLINE bool try_modulo(i64 a, i64 b, i64* out) {
  *out = modulo(a, b);
  return b != 0;
}
SVM_INLINE bool try_modulo(i128 a, i128 b, i128* out) {
  u128 rest = 0;
  if (b != 0) wide_divide(wide_of(magnitude(a)), magnitude(b), &rest);
  *out = with_sign(rest, a < 0);
  return b != 0;
}
// The rest has no more digits than the smaller operand, and may be held in less than they are.
SVM_INLINE bool try_modulo(i128 a, i128 b, i64* out) {
  i128 rest = 0;
  const bool found = try_modulo(a, b, &rest);
  *out = i64(rest);
  return found;
}
SVM_INLINE bool try_modulo(double a, double b, double* out) {
  *out = __builtin_fmod(a, b);
  return b != 0;
}
SVM_INLINE bool try_modulo(float a, float b, float* out) {
  *out = __builtin_fmodf(a, b);
  return b != 0;
}

// Decimals: R is i64 up to 18 digits, else i128. Operands of sums have the result's scale.
SVM_INLINE bool give(i128 value, bool fits, i64* out) {
  *out = i64(value);
  return fits;
}
SVM_INLINE bool give(i128 value, bool fits, i128* out) {
  *out = value;
  return fits;
}
SVM_INLINE bool try_decimal_add(i64 a, i64 b, u32 precision, i64* out) {
  *out = a + b;  // two values of at most 18 digits
  return decimal_fits(*out, precision);
}
SVM_INLINE bool try_decimal_add(i128 a, i128 b, u32 precision, i128* out) {
  // Two values of at most 38 digits can pass 2^127; what they then wrap to has 39 digits.
  *out = i128(u128(a) + u128(b));
  return decimal_fits(*out, precision);
}
SVM_INLINE bool try_decimal_subtract(i64 a, i64 b, u32 precision, i64* out) {
  return try_decimal_add(a, -b, precision, out);
}
SVM_INLINE bool try_decimal_subtract(i128 a, i128 b, u32 precision, i128* out) {
  return try_decimal_add(a, -b, precision, out);
}
// Operands have scales that add up to product_scale.
template <class R>
SVM_INLINE bool try_decimal_multiply(i128 a, i128 b, u32 product_scale, u32 precision, u32 scale,
                                     R* out) {
  i128 product;
  if (product_scale == scale && !wide_product_overflows(a, b, &product)) {
    return give(product, decimal_fits(product, precision), out);
  }
  const bool fits = decimal_multiply(a, b, product_scale, precision, scale, &product);
  return give(product, fits, out);
}
template <class R>
SVM_INLINE bool try_decimal_divide(i128 a, u32 sa, i128 b, u32 sb, u32 precision, u32 scale,
                                   R* out) {
  i128 quotient;
  const bool fits = decimal_divide(a, sa, b, sb, precision, scale, &quotient);
  return give(quotient, fits, out);
}

// An integer or a decimal of scale 'from' as a decimal(precision, to).
template <class R>
SVM_INLINE bool try_to_decimal(i128 v, u32 from, u32 to, u32 precision, R* out) {
  if (from == to) return give(v, decimal_fits(v, precision), out);
  i128 result = 0;
  const bool fits = decimal_rescale(v, from, to, precision, &result);
  return give(result, fits, out);
}

// Casts to an integer of width T.
template <class T>
SVM_INLINE bool try_to(i64 v, i64* out) {
  *out = T(v);
  return T(v) == v;
}
template <class T>
SVM_INLINE bool try_double_to(double v, i64* out) {
  constexpr double kEnd = double(u64(1) << (8 * sizeof(T) - 1));
  const bool inside = v < kEnd && (sizeof(T) == 8 ? v >= -kEnd : v > -kEnd - 1);
  *out = inside ? i64(v) : 0;
  return inside;
}
template <class T>
SVM_INLINE bool try_decimal_to(i128 v, u32 scale, i64* out) {
  const i128 integral = decimal_integral(v, scale);
  *out = T(integral);
  return T(integral) == integral;
}

}  // namespace shadowvm::kernels
