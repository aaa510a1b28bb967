// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/columns/table.h"
#include "engine/vkernel/blueprint/translator.h"

namespace shadowvm::exec {

// The columns of a table that a pipeline reads, under the numbers the pipeline knows them by.
struct SourceView {
  std::shared_ptr<columns::TableSource> table;
  std::vector<int> ordinals;  // per column of the pipeline's rows: its ordinal in the table
  columns::Schema schema;     // of the pipeline's rows

  columns::Zone zone(int column) const { return table->zone(ordinals[column]); }
  base::Result<vkernel::SourceFacts> Facts() const;
  // Whether what is known of the columns stays: no dictionary grows any more.
  bool IsSettled() const;
};

}  // namespace shadowvm::exec
