// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/exec/pipeline_output.h"
#include "engine/exec/query_context.h"
#include "engine/exec/source_view.h"
#include "engine/exec/state/join_table.h"
#include "engine/plan/pipeline.h"

namespace shadowvm::exec {

// A build side made ready for one pipeline that probes it.
struct PreparedJoin {
  const PipelineOutput* build = nullptr;
  int pipeline = 0;  // that probes it
  int step = 0;      // of that pipeline
  JoinTableOptions options;
  // Null as long as it is not known what a GPU is asked to make of the build side.
  std::shared_ptr<JoinTable> table;

  vkernel::BuildFacts Facts() const;
  // The table with build rows in it: payload is read, or keys repeat.
  base::Status AddRows(const QueryContext& context);
  // Group codes over these columns of the build side; null where there would be too many.
  std::shared_ptr<const GroupCodes> CodesOf(const std::vector<int>& columns) const;
  // The table with those codes in it.
  base::Status AddCodes(const QueryContext& context, const std::vector<int>& columns,
                        const GroupCodes& codes);
  // The rows that those codes stand for.
  const std::shared_ptr<const RowSet>& code_rows() const;
  // Takes the table that a GPU has made.
  void TakeMade();
  bool is_for_device() const { return build->table_build != nullptr; }
  // Whether the table may serve later queries too.
  bool can_keep_table() const { return build->kept != nullptr; }
  // Finds the table of the options among those that are kept, or builds it.
  base::Status MakeTable(const QueryContext& context);
};

// The tables of a pipeline's probe steps, in order. Direct tables hold existence alone at first:
// most joins of a star need no more.
base::Result<std::vector<PreparedJoin>> PrepareJoins(const QueryContext& context,
                                                     const plan::Pipeline& pipeline,
                                                     const SourceView& source,
                                                     const std::vector<PipelineOutput>& outputs);

}  // namespace shadowvm::exec
