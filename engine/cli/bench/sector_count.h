// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/cli/bench/ssb_queries.h"
#include "engine/exec/engine.h"

namespace shadowvm::cli {

// What a query has to read of one column.
struct ColumnSectors {
  std::string column;
  int64_t bytes = 0;          // of all its values
  int64_t touched_bytes = 0;  // of sectors with a row that the columns before it have not dropped
};

// What a query has to read of lineorder, in sectors of 32 bytes: the least that a GPU's memory, or
// the link to it, gives. No estimate: every row is looked at.
struct SectorCount {
  std::vector<ColumnSectors> columns;  // in the order they are read
  int64_t rows = 0;                    // that no column drops
};

// Columns are read in an order of our own, the one that kernels written by hand were fastest with,
// whatever order the engine has chosen: a worse one brings no one nearer to the floor. Dimensions
// are filtered by the engine.
base::Result<SectorCount> CountSectors(exec::Engine* engine, const SsbTables& tables,
                                       columns::TableSource* lineorder, const std::string& query);

}  // namespace shadowvm::cli
