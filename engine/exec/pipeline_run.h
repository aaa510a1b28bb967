// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/exec/aggregate_states.h"
#include "engine/exec/gpu/dense_sink.h"
#include "engine/exec/gpu/gpu.h"
#include "engine/exec/gpu/launch_plan.h"
#include "engine/exec/gpu/launch_sink.h"
#include "engine/exec/grouping.h"
#include "engine/exec/kernel_binding.h"
#include "engine/exec/kernel_run.h"
#include "engine/exec/mixed_sink.h"
#include "engine/exec/pipeline_history.h"
#include "engine/exec/pipeline_output.h"
#include "engine/exec/prepared_join.h"
#include "engine/exec/query_context.h"
#include "engine/exec/sort_keys.h"
#include "engine/exec/state/dense_groups.h"
#include "engine/exec/state/hash_groups.h"
#include "engine/exec/step_order.h"
#include "engine/vkernel/render/kernel_renderer.h"

namespace shadowvm::exec {

// One pipeline from its source to its sink: facts, blueprint, kernel, partitions, merged state.
class PipelineRun {
 public:
  // 'outputs' are those of the pipelines before it, by id. Everything handed in outlives the run.
  PipelineRun(const QueryContext& context, const plan::Pipeline& pipeline, const SourceView& source,
              const std::vector<PipelineOutput>& outputs)
      : context_(context), pipeline_(pipeline), source_(source), outputs_(outputs) {}

  // Of a build side: a GPU may make the join's table, without rows.
  void AllowTable() { may_make_table_ = true; }
  // The order of columns in which somebody will want its rows: some sinks give it for less than a
  // sort takes, and say so in their output.
  void PreferOrder(std::vector<SortColumn> order) { wanted_order_ = std::move(order); }
  // Writes the kernel. Needs the outputs of the pipelines it depends on.
  base::Status Plan();
  // What it leaves instead of rows where a GPU makes the table; after Plan.
  bool makes_table() const { return table_build_ != nullptr; }
  PipelineOutput WithoutRows() const;
  // Makes rows after all; 'why', if anything went wrong on the GPU.
  void CollectInstead(const std::string& why);
  // After Plan or Run has failed: it needs the rows of build sides that have none, and can do
  // nothing without. Why it does, if the GPU is at fault.
  bool needs_rows() const { return needs_rows_; }
  const std::string& why_rows() const { return why_rows_; }
  const vkernel::KernelText& text() const { return *text_; }

  // Runs the kernel, which is null where nobody has compiled it ahead. After Plan; again only if
  // its build sides and its table are the same.
  base::Result<PipelineOutput> Run(std::shared_ptr<vkernel::KernelSlot> kernel);

 private:
  // Groups in arrays, and what follows from the plan alone.
  struct Dense {
    Dense(const QueryContext& context, const Grouping& grouping, AggregateStates of_node);
    Dense(const Dense&) = delete;
    Dense& operator=(const Dense&) = delete;

    const AggregateStates states;
    const std::vector<int64_t> origins;  // two a key
    DenseGroups groups;
    DenseSink sink;
    std::optional<SlotOrder> order;  // where one is wanted, once it has run
  };

  base::Status TranslateSteps();
  base::Status TranslateSink();
  // Keys of a build side or a sort that are no columns are collected behind the row's own columns.
  void PlanBuildKeys();

  base::Status PlanTable();
  // Has the GPU make its tables where rows are grouped by columns of build sides: groups are chosen
  // by how many codes there are.
  base::Status MakeTablesFor(const plan::AggregateNode& node);
  // Has the GPU make its tables, with group codes over columns of build sides, by join.
  base::Status MakeTables(const std::map<int, std::vector<int>>& code_columns);
  bool HasDeviceTables() const;
  // The error of who needs rows of build sides.
  base::Status NeedRows(const std::string& why);

  base::Result<RowSet> RunSink();
  base::Result<RowSet> FillSink();
  base::Result<RowSet> RunCollect(int64_t enough);
  base::Result<RowSet> RunDense(const plan::AggregateNode& node);
  // The groups that were found, in the order that is wanted where that is soon done.
  base::Result<RowSet> EmitDense();
  bool OrdersSlots() const;
  // Tables that say which group a row belongs to.
  base::Status AddGroupCodes();
  // Decides where the pipeline runs.
  void ChooseDevice();
  PipelineDevices& devices() { return context_.stats->devices.back(); }
  // In mode gpu nobody asks before how many rows there are and where: it would cost more than it
  // tells. So what was to be expected of them is told afterwards, before this run is remembered.
  void PredictAsTold();
  // How fast the device was that ran it alone.
  void RememberCores();
  void RememberGpu(const GpuTimes& times);
  base::Result<RowSet> RunMeasured();
  // Says why, where there should be one.
  base::Result<RowSet> RunWithoutGpu();
  // Runs the sink, and says in the pipeline's record where and for how long.
  base::Result<RowSet> RunReported();
  // Brings the pipeline's rows to the sink on both at once.
  base::Status RunMixed(KernelRun* run, MixedSink* sink);
  base::Result<RowSet> CollectOnCpu(KernelRun* run, int64_t enough);
  // Why the GPU has no kernel for it, or none that is worth it; empty: it has.
  std::string WhyNotOnGpu() const;
  // That joins with several matches could give.
  double MostPairs() const;
  // Brings the pipeline's rows to the sink on the GPU. False: it cannot, or the card, its memory or
  // its compiler failed, and nothing has happened.
  base::Result<bool> TryGpu(KernelRun* run, LaunchSink* sink);
  // Its program on the GPU; null while it is being made and not waited for.
  base::Result<vkernel::ProgramCache::Loaded> FindGpuProgram();
  // Measures steps that no run before has.
  base::Status KnowSteps(KernelRun* run);
  // Writes the GPU's kernel, or says why there is none, and has it compiled.
  void PrepareForGpu();
  base::Result<RowSet> RunHash(const plan::AggregateNode& node);
  base::Status HashOnCpu(KernelRun* run, HashGroups* groups);
  base::Result<RowSet> RunSorted();
  base::Result<RowSet> RunLimit();

  std::vector<RowColumn> OutputColumns() const;
  std::vector<HashKeyColumn> HashKeyColumns() const;

  const QueryContext& context_;
  const plan::Pipeline& pipeline_;
  const SourceView& source_;
  const std::vector<PipelineOutput>& outputs_;
  std::vector<PreparedJoin> joins_;
  std::unique_ptr<vkernel::PipelineTranslator> translator_;
  vkernel::Blueprint blueprint_;
  std::shared_ptr<const vkernel::KernelText> text_;
  vkernel::Arguments arguments_;
  std::shared_ptr<const std::string> gpu_text_;
  std::string why_not_gpu_;
  schedule::Mode mode_ = schedule::Mode::kCpu;  // never auto
  Grouping grouping_;
  SortPlan sort_;
  std::vector<plan::ExpressionPtr> extra_;  // computed keys of a build side
  PipelineOutput output_;
  bool may_make_table_ = false;
  std::vector<SortColumn> wanted_order_;
  std::shared_ptr<TableBuild> table_build_;
  bool needs_rows_ = false;
  std::string why_rows_;
  std::unique_ptr<PipelineBinding> binding_;
  bool has_group_codes_ = false;
  std::optional<Dense> dense_;       // once it has run
  std::optional<KnownSteps> steps_;  // once a GPU has been told of them
  bool is_full_code_ = false;        // of the GPU's kernel, for sure
  // That code, once it has run: the cache finds it by a long text. Not held, as the GPU may go.
  std::weak_ptr<const device::Program> program_;
  // What the last run took, kernels compiled.
  struct Ran {
    int64_t rows = 0;
    int64_t bytes = 0;
    double milliseconds = 0;
    double device_milliseconds = 0;  // since the device that did it began
  };
  Ran ran_;
  std::chrono::steady_clock::time_point device_start_;
  bool reads_files_ = false;                  // the last run on cores did
  std::unique_ptr<PipelineHistory> history_;  // once it is planned
  // What the choice of devices was made by.
  double device_share_ = 0;
  schedule::BySide<double> remembered_;
  std::shared_ptr<vkernel::KernelSlot> kernel_;
};

}  // namespace shadowvm::exec
