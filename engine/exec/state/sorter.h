// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <span>

#include "engine/exec/state/row_set.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

struct SortColumn {
  int column = 0;
  bool descending = false;
  bool nulls_first = true;  // whatever the direction
};

// The rows in the order of the keys: numbers by value, NaN largest and equal to itself, strings by
// bytes. Rows equal in every key stay in their order, so the result does not depend on the number
// of workers. Fault point exec.sort.
base::Result<RowSet> Sort(const RowSet& rows, std::span<const SortColumn> keys,
                          memory::MemoryBudget* budget, const schedule::Workers& workers);

// Rows [offset, offset + count) of that order.
base::Result<RowSet> TopN(const RowSet& rows, std::span<const SortColumn> keys, int64_t offset,
                          int64_t count, memory::MemoryBudget* budget,
                          const schedule::Workers& workers);

}  // namespace shadowvm::exec
