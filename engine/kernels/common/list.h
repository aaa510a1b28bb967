// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// IN lists: sorted, distinct; text by bytes, reals in Spark's order.

#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/text_match.h"

namespace shadowvm::kernels {

SVM_INLINE bool order_before(i64 a, i64 b) { return a < b; }
SVM_INLINE bool order_before(double a, double b) { return float_less(a, b); }
SVM_INLINE bool order_before(const Text& a, const Text& b) { return text_compare(a, b) < 0; }

// Whether a sorted list holds the value: the first entry not before it is not after it either.
template <class V>
SVM_INLINE bool sorted_contains(const V* values, u64 count, const V& value) {
  u64 first = 0;
  for (u64 left = count; left > 0;) {
    const u64 half = left / 2;
    const bool after = order_before(values[first + half], value);
    first = after ? first + half + 1 : first;
    left = after ? left - half - 1 : half;
  }
  return first < count && !order_before(value, values[first]);
}

SVM_INLINE bool list_contains(const ListView& list, i64 value) {
  return sorted_contains(list.integers, list.count, value);
}
SVM_INLINE bool list_contains(const ListView& list, bool value) {
  return list_contains(list, i64(value));
}
SVM_INLINE bool list_contains(const ListView& list, double value) {
  return sorted_contains(list.reals, list.count, value);
}
SVM_INLINE bool list_contains(const ListView& list, const Text& value) {
  return sorted_contains(list.texts, list.count, value);
}

}  // namespace shadowvm::kernels
