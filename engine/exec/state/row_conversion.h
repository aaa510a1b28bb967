// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/columns/table.h"
#include "engine/exec/state/row_set.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

// Rows indexes[0], indexes[1], … of 'rows', in that order.
base::Result<RowSet> Gather(const RowSet& rows, std::span<const uint32_t> indexes,
                            memory::MemoryBudget* budget, const schedule::Workers& workers);

// Rows [offset, offset + count), cut to what is there. Cutting the end off copies nothing.
base::Result<RowSet> Slice(RowSet rows, int64_t offset, int64_t count, memory::MemoryBudget* budget,
                           const schedule::Workers& workers);

// The rows as a table in segments: framed columns in frames of their type's width with base and
// zone per segment, texts as bytes. Layouts follow from the columns, never from the values. Column
// i is named names[i].
base::Result<std::shared_ptr<columns::MemoryTable>> ToMemoryTable(
    const RowSet& rows, std::string name, const std::vector<std::string>& names,
    memory::MemoryBudget* budget, const schedule::Workers& workers);

// The rows as Arrow columns, copied, for which there must be room in the budget when they are made.
// Column i is named names[i].
base::Result<std::shared_ptr<arrow::Table>> ToArrow(const RowSet& rows,
                                                    const std::vector<std::string>& names,
                                                    memory::MemoryBudget* budget,
                                                    const schedule::Workers& workers);

// All rows of some columns of a source, decoded. Texts point into the source's segments, which the
// set keeps alive.
base::Result<RowSet> FromSource(columns::TableSource* source, std::span<const int> columns,
                                memory::MemoryBudget* budget, const schedule::Workers& workers);

}  // namespace shadowvm::exec
