// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/exec/grouping.h"
#include "engine/exec/kernel_binding.h"
#include "engine/exec/kernel_run.h"
#include "engine/exec/pipeline_output.h"
#include "engine/exec/prepared_join.h"
#include "engine/exec/query_context.h"

namespace shadowvm::exec {

// One pipeline from its source to its sink: facts, blueprint, kernel, partitions, merged state.
class PipelineRun {
 public:
  // 'outputs' are those of the pipelines before it, by id. Everything handed in outlives the run.
  PipelineRun(const QueryContext& context, const plan::Pipeline& pipeline, const SourceView& source,
              const std::vector<PipelineOutput>& outputs)
      : context_(context), pipeline_(pipeline), source_(source), outputs_(outputs) {}

  base::Result<PipelineOutput> Run();

 private:
  base::Status TranslateSteps();
  base::Result<RowSet> RunCollect(const std::vector<plan::ExpressionPtr>& extra, int64_t enough);
  base::Result<RowSet> RunAggregate(const plan::AggregateNode& node);
  base::Result<RowSet> RunDense(const plan::AggregateNode& node, Grouping grouping);
  base::Result<RowSet> RunHash(const plan::AggregateNode& node);
  base::Result<PipelineOutput> RunBuild();
  base::Result<RowSet> RunSorted();
  base::Result<RowSet> RunLimit();

  // Renders and compiles the finished blueprint and binds everything to it.
  base::Status Prepare();
  std::vector<RowColumn> OutputColumns() const;
  std::vector<HashKeyColumn> HashKeyColumns() const;

  const QueryContext& context_;
  const plan::Pipeline& pipeline_;
  const SourceView& source_;
  const std::vector<PipelineOutput>& outputs_;
  std::vector<PreparedJoin> joins_;
  std::unique_ptr<vkernel::PipelineTranslator> translator_;
  vkernel::Blueprint blueprint_;
  std::unique_ptr<PipelineBinding> binding_;
  std::shared_ptr<vkernel::KernelSlot> kernel_;
};

}  // namespace shadowvm::exec
