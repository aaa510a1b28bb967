// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Integer and float arithmetic as Spark means it. Integers of every width are computed in i64; T
// says which width the result has: i8, i16, i32 or i64. 'wrap' functions give Java's results;
// 'checked' ones raise under ANSI.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

// Records the first error of a call; the host raises it once.
SVM_INLINE void raise(KernelCall* call, u32 error) {
  if (call->error == 0) call->error = error;
}

template <class T>
SVM_INLINE i64 wrap_add(i64 a, i64 b) {
  return T(u64(a) + u64(b));
}
template <class T>
SVM_INLINE i64 wrap_subtract(i64 a, i64 b) {
  return T(u64(a) - u64(b));
}
template <class T>
SVM_INLINE i64 wrap_multiply(i64 a, i64 b) {
  return T(u64(a) * u64(b));
}
template <class T>
SVM_INLINE i64 wrap_negate(i64 a) {
  return T(u64(0) - u64(a));
}

// The result, or 0 with kErrorOverflow raised.
SVM_INLINE i64 unless_overflow(KernelCall* call, bool overflow, i64 result) {
  if (!overflow) return result;
  raise(call, kErrorOverflow);
  return 0;
}
template <class T>
SVM_INLINE i64 checked_add(KernelCall* call, i64 a, i64 b) {
  T result;
  const bool overflow = __builtin_add_overflow(a, b, &result);
  return unless_overflow(call, overflow, result);
}
template <class T>
SVM_INLINE i64 checked_subtract(KernelCall* call, i64 a, i64 b) {
  T result;
  const bool overflow = __builtin_sub_overflow(a, b, &result);
  return unless_overflow(call, overflow, result);
}
template <class T>
SVM_INLINE i64 checked_multiply(KernelCall* call, i64 a, i64 b) {
  T result;
  const bool overflow = __builtin_mul_overflow(a, b, &result);
  return unless_overflow(call, overflow, result);
}
template <class T>
SVM_INLINE i64 checked_negate(KernelCall* call, i64 a) {
  return checked_subtract<T>(call, 0, a);
}

// a % b with the sign of a. 0 when b is 0: the caller makes that null.
SVM_INLINE i64 modulo(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
// a div b, towards zero; INT64_MIN div -1 wraps. 0 when b is 0: the caller makes that null.
SVM_INLINE i64 divide_integer(i64 a, i64 b) {
  if (b == 0) return 0;
  return b == -1 ? wrap_negate<i64>(a) : a / b;
}
SVM_INLINE i64 checked_modulo(KernelCall* call, i64 a, i64 b) {
  if (b == 0) raise(call, kErrorDivideByZero);
  return modulo(a, b);
}
SVM_INLINE i64 checked_divide_integer(KernelCall* call, i64 a, i64 b) {
  if (b == 0) raise(call, kErrorDivideByZero);
  return b == -1 ? checked_negate<i64>(call, a) : divide_integer(a, b);
}
// a / b of doubles; the caller makes a zero divisor null.
SVM_INLINE double divide(double a, double b) { return a / b; }
SVM_INLINE double checked_divide(KernelCall* call, double a, double b) {
  if (b == 0) raise(call, kErrorDivideByZero);
  return a / b;
}

}  // namespace shadowvm::kernels
