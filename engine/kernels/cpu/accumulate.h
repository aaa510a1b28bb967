// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Accumulators: words of a group's row, updated row by row. The host sets their initial values,
// named at each, and keeps a count of non-null inputs beside those whose empty result is null.

#include "engine/kernels/common/arithmetic.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/decimal.h"
#include "engine/kernels/cpu/columns.h"

namespace shadowvm::kernels {

// Counts start at 0.
SVM_INLINE void count_row(i64* r) { ++*r; }
SVM_INLINE void count_rows(i64* r, u32 rows) { *r += rows; }
SVM_INLINE void count_valid(i64* r, bool valid) { *r += valid; }

template <class V>
SVM_INLINE V load_value(const i64* r) {
  V value;
  __builtin_memcpy(&value, r, sizeof(V));
  return value;
}
template <class V>
SVM_INLINE void store_value(i64* r, V value) {
  __builtin_memcpy(r, &value, sizeof(V));
}

// Sums start at 0 (0.0 for doubles). sum_i64 wraps; sum_i64_checked raises an overflow. A sum of
// i128 takes two words. sum_i128_checked raises an overflow for a value of more than
// kMaxSummedDigits digits: where a sum leaves 38 on its way Spark's own answer depends on the order
// in which rows are added up, so we give none.
SVM_INLINE void sum_i64(i64* r, i64 v) { *r = i64(u64(*r) + u64(v)); }
SVM_INLINE void sum_i64_checked(KernelCall* call, i64* r, i64 v) {
  if (__builtin_add_overflow(*r, v, r)) raise(call, kErrorOverflow);
}
SVM_INLINE void sum_i128(i64* r, i128 v) { store_value(r, i128(load_value<u128>(r) + u128(v))); }
SVM_INLINE void sum_i128_checked(KernelCall* call, i64* r, i128 v) {
  if (!decimal_fits(v, kMaxSummedDigits)) raise(call, kErrorOverflow);
  sum_i128(r, v);
}
SVM_INLINE void sum_double(i64* r, double v) { store_value(r, load_value<double>(r) + v); }

// Minima start at the type's largest value, maxima at its smallest: INT64_MAX and INT64_MIN, the
// same of 128 bits.
SVM_INLINE void min_i64(i64* r, i64 v) { *r = v < *r ? v : *r; }
SVM_INLINE void max_i64(i64* r, i64 v) { *r = v > *r ? v : *r; }
SVM_INLINE void min_i128(i64* r, i128 v) {
  if (v < load_value<i128>(r)) store_value(r, v);
}
SVM_INLINE void max_i128(i64* r, i128 v) {
  if (v > load_value<i128>(r)) store_value(r, v);
}

// Doubles in Spark's order, NaN largest: minima start at NaN, maxima at -infinity. Floats are
// widened.
SVM_INLINE void min_double(i64* r, double v) {
  if (float_less(v, load_value<double>(r))) store_value(r, v);
}
SVM_INLINE void max_double(i64* r, double v) {
  if (float_less(load_value<double>(r), v)) store_value(r, v);
}

// Strings take two words and start at a null 'data', so an empty string without bytes is stored
// with the row's own address, which nobody reads. Text of a dictionary or a build side lives as
// long as the query (stable); other text is copied when it is taken over.
SVM_INLINE void store_text(i64* r, Text v) {
  if (v.data == nullptr) v.data = reinterpret_cast<const char*>(r);
  store_value(r, v);
}
SVM_INLINE bool text_is_less(const i64* r, const Text& v) {
  const Text old = load_value<Text>(r);
  return old.data == nullptr || text_compare(v, old) < 0;
}
SVM_INLINE bool text_is_greater(const i64* r, const Text& v) {
  const Text old = load_value<Text>(r);
  return old.data == nullptr || text_compare(v, old) > 0;
}
SVM_INLINE void min_stable_text(i64* r, const Text& v) {
  if (text_is_less(r, v)) store_text(r, v);
}
SVM_INLINE void max_stable_text(i64* r, const Text& v) {
  if (text_is_greater(r, v)) store_text(r, v);
}
SVM_INLINE void min_text(KernelCall* call, i64* r, const Text& v) {
  if (text_is_less(r, v)) store_text(r, call->keep_text(call, v));
}
SVM_INLINE void max_text(KernelCall* call, i64* r, const Text& v) {
  if (text_is_greater(r, v)) store_text(r, call->keep_text(call, v));
}

}  // namespace shadowvm::kernels
