// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/accumulator.h"

#include <algorithm>
#include <limits>

#include "engine/kernels/common/text_match.h"
#include "engine/kernels/cpu/accumulate.h"

namespace shadowvm::exec {
namespace {

using kernels::i128;
using kernels::load_value;
using kernels::store_value;
using kernels::Text;

constexpr i128 kMaxI128 = static_cast<i128>(~kernels::u128{0} >> 1);

void InitialiseOne(AccumulatorKind kind, int64_t* word) {
  switch (kind) {
    case AccumulatorKind::kCount:
    case AccumulatorKind::kSumI64:
      return store_value<kernels::i64>(word, 0);
    case AccumulatorKind::kSumI128:
      return store_value<i128>(word, 0);
    case AccumulatorKind::kSumDouble:
      return store_value<double>(word, 0);
    case AccumulatorKind::kMinI64:
      return store_value<kernels::i64>(word, INT64_MAX);
    case AccumulatorKind::kMaxI64:
      return store_value<kernels::i64>(word, INT64_MIN);
    case AccumulatorKind::kMinI128:
      return store_value<i128>(word, kMaxI128);
    case AccumulatorKind::kMaxI128:
      return store_value<i128>(word, -kMaxI128 - 1);
    case AccumulatorKind::kMinDouble:
      return store_value<double>(word, std::numeric_limits<double>::quiet_NaN());
    case AccumulatorKind::kMaxDouble:
      return store_value<double>(word, -std::numeric_limits<double>::infinity());
    case AccumulatorKind::kMinText:
    case AccumulatorKind::kMaxText:
      return store_value<Text>(word, Text{nullptr, 0, 0});
  }
}

base::Status MergeSum(const Accumulator& accumulator, const int64_t* from, int64_t* into) {
  kernels::i64 sum;
  if (__builtin_add_overflow(*into, *from, &sum) && accumulator.checked) {
    return base::MakeError(base::ErrorCode::kOverflow, "a sum of integers");
  }
  *into = sum;
  return base::Status::OK();
}

void MergeText(bool minimum, const int64_t* from, int64_t* into) {
  const auto text = load_value<Text>(from);
  if (text.data == nullptr) return;
  minimum ? kernels::min_stable_text(into, text) : kernels::max_stable_text(into, text);
}

base::Status MergeOne(const Accumulator& accumulator, const int64_t* from, int64_t* into) {
  switch (accumulator.kind) {
    case AccumulatorKind::kCount:
    case AccumulatorKind::kSumI64:
      return MergeSum(accumulator, from, into);
    case AccumulatorKind::kSumI128:
      kernels::sum_i128(into, load_value<i128>(from));
      break;
    case AccumulatorKind::kSumDouble:
      kernels::sum_double(into, load_value<double>(from));
      break;
    case AccumulatorKind::kMinI64:
      kernels::min_i64(into, *from);
      break;
    case AccumulatorKind::kMaxI64:
      kernels::max_i64(into, *from);
      break;
    case AccumulatorKind::kMinI128:
      kernels::min_i128(into, load_value<i128>(from));
      break;
    case AccumulatorKind::kMaxI128:
      kernels::max_i128(into, load_value<i128>(from));
      break;
    case AccumulatorKind::kMinDouble:
      kernels::min_double(into, load_value<double>(from));
      break;
    case AccumulatorKind::kMaxDouble:
      kernels::max_double(into, load_value<double>(from));
      break;
    case AccumulatorKind::kMinText:
    case AccumulatorKind::kMaxText:
      MergeText(accumulator.kind == AccumulatorKind::kMinText, from, into);
      break;
  }
  return base::Status::OK();
}

}  // namespace

int WordsOf(AccumulatorKind kind) {
  switch (kind) {
    case AccumulatorKind::kSumI128:
    case AccumulatorKind::kMinI128:
    case AccumulatorKind::kMaxI128:
    case AccumulatorKind::kMinText:
    case AccumulatorKind::kMaxText:
      return 2;
    default:
      return 1;
  }
}

int RowWords(std::span<const Accumulator> accumulators) {
  int words = 0;
  for (const Accumulator& accumulator : accumulators) {
    words = std::max(words, accumulator.word + WordsOf(accumulator.kind));
  }
  return words;
}

void Initialise(std::span<const Accumulator> accumulators, int64_t* row) {
  for (const Accumulator& accumulator : accumulators) {
    InitialiseOne(accumulator.kind, row + accumulator.word);
  }
}

base::Status MergeRow(std::span<const Accumulator> accumulators, const int64_t* from,
                      int64_t* into) {
  for (const Accumulator& accumulator : accumulators) {
    SVM_RETURN_NOT_OK(MergeOne(accumulator, from + accumulator.word, into + accumulator.word));
  }
  return base::Status::OK();
}

}  // namespace shadowvm::exec
