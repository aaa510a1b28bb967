// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Spark's order of floats: NaN equals NaN and is larger than everything, -0.0 equals 0.0.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

template <class F>
SVM_INLINE bool is_nan(F v) {
  return v != v;
}
template <class F>
SVM_INLINE bool float_equal(F a, F b) {
  return a == b || (is_nan(a) && is_nan(b));
}
template <class F>
SVM_INLINE bool float_less(F a, F b) {
  return a < b || (is_nan(b) && !is_nan(a));
}
template <class F>
SVM_INLINE bool float_less_equal(F a, F b) {
  return a <= b || is_nan(b);
}
// < 0, 0 or > 0.
template <class F>
SVM_INLINE int float_compare(F a, F b) {
  return float_less(a, b) ? -1 : float_less(b, a) ? 1 : 0;
}

// A key word that is equal exactly when the values are: one NaN, one zero.
SVM_INLINE u64 float_key(double v) {
  const double normal = is_nan(v) ? __builtin_nan("") : v == 0 ? 0.0 : v;
  u64 bits;
  __builtin_memcpy(&bits, &normal, 8);
  return bits;
}

}  // namespace shadowvm::kernels
