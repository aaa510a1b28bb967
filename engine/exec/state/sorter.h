// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/exec/state/sort_order.h"
#include "engine/memory/buffer.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

// The stretch of an order that is asked for; all of it, or the rows of a top-n.
struct SortPart {
  int64_t offset = 0;
  int64_t count = INT64_MAX;

  // As far as there are rows.
  SortPart Within(int64_t num_rows) const;
};

// Numbers of rows, uint32_t each, in order.
using RowNumbers = std::shared_ptr<memory::Buffer>;

// kCardinality when there are more rows than numbers.
base::Status CheckSortSize(const RowSet& rows);

// The numbers of a part's rows, by cores; the same for any number of workers. Fault point
// exec.sort.
base::Result<RowNumbers> OrderRows(const SortOrder& order, const SortPart& part,
                                   memory::MemoryBudget* budget, const schedule::Workers& workers);

// Brings rows that are in the order of their prefixes into the order itself: rows of one prefix are
// compared. 'prefixes' are by number of the row.
base::Status OrderTies(const SortOrder& order, const uint64_t* prefixes,
                       std::span<uint32_t> numbers, const schedule::Workers& workers);

}  // namespace shadowvm::exec
