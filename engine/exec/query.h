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

  // After a run that went well: gives back all that is of that run alone. False: what is left is of
  // no use to a later one.
  bool Rest();
  // Makes one that rests ready to run once more; what it planned before holds. False, and it is of
  // no use: its tables are others by now, or the devices it may use.
  bool BeginAgain(const RunOptions& options);

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
  std::unique_ptr<PipelineRun> MakeRun(const plan::Pipeline& pipeline, const SourceView& source);
  // The order that the next one sorts a pipeline's rows in, if that is all it does with them.
  std::vector<SortColumn> OrderWantedOf(const plan::Pipeline& pipeline) const;
  base::Result<PipelineOutput> RunPlanned(const plan::Pipeline& pipeline);
  // Whether a GPU may make the table of a build side, without rows.
  base::Result<bool> MayMakeTable(const plan::Pipeline& pipeline);
  // Whether the GPU has copies of all that a pipeline reads, as of when this is first asked.
  base::Result<bool> IsSourceOnDevice(const plan::Pipeline& pipeline);
  // Whether it is a build side that waits for who probes it.
  bool Waits(int pipeline) const { return outputs_[pipeline].table_build != nullptr; }
  // Whether a run of it has ended because it needs rows of build sides that have none.
  bool NeedsRows(const plan::Pipeline& pipeline) const;
  // Collects the rows of build sides that a pipeline had hoped to do without; 'why', if the GPU is
  // at fault.
  base::Status CollectInputs(const plan::Pipeline& pipeline, const std::string& why);
  // Notes the barriers of a pipeline's build sides that a GPU has made tables of.
  void PassInputs(const plan::Pipeline& pipeline);
  void TellBarriers();
  base::Result<SourceView> ViewOf(const plan::Pipeline& pipeline);
  void ReleaseInputs(const plan::Pipeline& done);
  void Begin(const RunOptions& options);
  // Whether what was planned for a pipeline holds as long as its table does.
  bool IsPlanLasting(const plan::Pipeline& pipeline) const;
  // Whether a scan would read what it has read before, which it then may.
  bool IsUnchanged(const plan::Pipeline& pipeline) const;
  base::Result<std::shared_ptr<arrow::Table>> Answer(const plan::Pipeline& last);

  Engine& engine_;
  QueryPlan& plan_;
  RunOptions options_;
  std::shared_ptr<Gpu> gpu_;
  std::weak_ptr<Gpu> last_gpu_;  // of one that rests
  QueryContext context_;
  BuildCache& builds_;
  std::vector<PipelineOutput> outputs_;
  std::vector<std::optional<BuildKey>> build_keys_;  // by pipeline
  // By pipeline, from when it is planned until it has run, or as long as that lasts.
  struct Planned {
    SourceView source;
    std::unique_ptr<PipelineRun> run;
    std::shared_ptr<vkernel::KernelSlot> kernel;
    bool settled = false;  // a later run would plan the same
  };
  std::vector<std::unique_ptr<Planned>> planned_;
  std::vector<std::optional<PipelineStats>> passed_;  // by pipeline: at its barrier
  size_t num_told_ = 0;                               // of those
  std::vector<std::optional<bool>> on_device_;        // by pipeline: its source
};

}  // namespace shadowvm::exec
