// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/table.h>

#include <memory>
#include <optional>
#include <vector>

#include "engine/exec/build_cache.h"
#include "engine/exec/engine.h"
#include "engine/exec/pipeline_output.h"
#include "engine/exec/pipeline_run.h"
#include "engine/exec/query_plan.h"
#include "engine/exec/source_view.h"
#include "engine/plan/pipeline.h"

namespace shadowvm::exec {

// One plan on its way to its answer: its pipelines run one after the other.
class Query {
 public:
  // All that is handed in outlives the query; the options name stats.
  Query(Engine* engine, QueryPlan* plan, const RunOptions& options);

  base::Result<std::shared_ptr<arrow::Table>> Run();

 private:
  // Takes build sides that an earlier query has left: their pipelines need not run.
  base::Status FindBuilds();
  bool IsDone(const plan::Pipeline& pipeline) const {
    return outputs_[pipeline.id].rows != nullptr;
  }
  // Kernels of pipelines that wait for nothing are written and compiled together, ahead.
  base::Status PrepareLeaves();
  // One pipeline up to its barrier.
  base::Status Pass(const plan::Pipeline& pipeline);
  base::Status RunPipeline(const plan::Pipeline& pipeline);
  base::Status PlanPipeline(const plan::Pipeline& pipeline);
  base::Result<SourceView> ViewOf(const plan::Pipeline& pipeline);
  void ReleaseInputs(const plan::Pipeline& done);
  base::Result<std::shared_ptr<arrow::Table>> Answer(const plan::Pipeline& last);

  QueryPlan& plan_;
  const RunOptions& options_;
  std::shared_ptr<Gpu> gpu_;
  QueryContext context_;
  BuildCache& builds_;
  std::vector<PipelineOutput> outputs_;
  std::vector<std::optional<BuildKey>> build_keys_;  // by pipeline
  // By pipeline, from when it is planned until it has run.
  struct Planned {
    SourceView source;
    std::unique_ptr<PipelineRun> run;
    std::shared_ptr<vkernel::KernelSlot> kernel;
  };
  std::vector<std::unique_ptr<Planned>> planned_;
};

}  // namespace shadowvm::exec
