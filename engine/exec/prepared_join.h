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
  JoinTableOptions options;
  std::unique_ptr<JoinTable> table;

  vkernel::BuildFacts Facts() const;
  // Builds the table again with build rows in it: payload is read, or keys repeat.
  base::Status AddRows(const QueryContext& context);
};

// The tables of a pipeline's probe steps, in order. Direct tables hold existence alone at first:
// most joins of a star need no more.
base::Result<std::vector<PreparedJoin>> PrepareJoins(const QueryContext& context,
                                                     const plan::Pipeline& pipeline,
                                                     const SourceView& source,
                                                     const std::vector<PipelineOutput>& outputs);

}  // namespace shadowvm::exec
