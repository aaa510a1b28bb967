// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <span>

#include "engine/base/status.h"
#include "engine/exec/state/row_set.h"

namespace shadowvm::exec {

// What a kernel's accumulating verbs keep in the words of a group's row. What they mean, and what
// they start at, is said in engine/kernels/cpu/accumulate.h.
enum class AccumulatorKind : uint8_t {
  kCount,
  kSumI64,
  kSumI128,
  kSumDouble,
  kMinI64,
  kMaxI64,
  kMinI128,
  kMaxI128,
  kMinDouble,
  kMaxDouble,
  kMinText,
  kMaxText,
};

struct Accumulator {
  AccumulatorKind kind = AccumulatorKind::kCount;
  int word = 0;          // its first word among a group's accumulators
  bool checked = false;  // kSumI64: an overflow while merging is kOverflow, else it wraps
};

int WordsOf(AccumulatorKind kind);
// Words of a row that holds all of them.
int RowWords(std::span<const Accumulator> accumulators);

// Sets a group's accumulators to their initial values.
void Initialise(std::span<const Accumulator> accumulators, int64_t* row);

// Adds the accumulators of 'from' to those of 'into'. Text values of both must stay alive.
base::Status MergeRow(std::span<const Accumulator> accumulators, const int64_t* from,
                      int64_t* into);

// What happens to a result that does not fit its type.
enum class OnOverflow : uint8_t {
  kWrap,   // integers wrap, decimals are null
  kNull,   // null
  kError,  // kOverflow
};

// How one column of the answer comes out of a group's accumulators.
struct AggregateOutput {
  RowColumn column;
  int accumulator = 0;    // ordinal of the count, sum, minimum or maximum
  bool average = false;   // that sum / the count below
  int count = -1;         // ordinal of the count of non-null inputs: null when it is 0; -1: there
                          // always is one
  uint8_t sum_scale = 0;  // of a decimal average: the scale of the sum
  OnOverflow on_overflow = OnOverflow::kWrap;
};

// Results of 'count' groups into rows [at, at + count) of 'data', a column of output.column.
base::Status Finalise(const AggregateOutput& output, std::span<const Accumulator> accumulators,
                      const int64_t* const* groups, int64_t count, int64_t at, RowData* data);

}  // namespace shadowvm::exec
