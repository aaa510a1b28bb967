// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/columns/segment.h"
#include "engine/columns/type.h"
#include "engine/exec/kept_joins.h"
#include "engine/exec/state/row_set.h"
#include "engine/exec/state/sort_order.h"

namespace shadowvm::exec {

class TableBuild;

// What a finished pipeline leaves for those that depend on it.
struct PipelineOutput {
  std::string name;  // of the table its rows came from
  columns::Schema schema;
  std::shared_ptr<const RowSet> rows;
  std::vector<SortColumn> order;  // that the rows are in, if in any

  // Build sides: where the join's keys are among the rows' columns, and what was known before any
  // row was filtered, which is all that the shape of a join may depend on.
  std::vector<int> keys;
  std::optional<columns::Zone> key_zone;
  int64_t most_rows = 0;
  // Of one that is kept between queries; else null.
  std::shared_ptr<KeptJoins> kept;
  // Of one that is in no rows: a GPU makes its table when it is known what is asked of it. Then
  // 'rows' has the columns alone.
  std::shared_ptr<TableBuild> table_build;
};

}  // namespace shadowvm::exec
