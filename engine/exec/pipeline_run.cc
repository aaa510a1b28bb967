// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/pipeline_run.h"

#include "engine/base/fault.h"
#include "engine/exec/aggregate_states.h"
#include "engine/exec/column_trace.h"
#include "engine/exec/gpu/gpu_run.h"
#include "engine/exec/partition_rows.h"
#include "engine/exec/state/row_buffer.h"
#include "engine/exec/state/row_conversion.h"

namespace shadowvm::exec {
namespace {

using base::Span;
using base::Stage;

// Rows after which a limit has all it wants.
int64_t RowsWanted(const plan::LimitNode& node) {
  return node.count > INT64_MAX - node.offset ? INT64_MAX : node.offset + node.count;
}

RowSet WithKeepers(RowSet rows, const KernelRun& run) {
  for (Keeper& keeper : run.keepers()) rows.keepers.push_back(std::move(keeper));
  return rows;
}

}  // namespace

base::Status PipelineRun::Plan() {
  SVM_RETURN_NOT_OK(TranslateSteps());
  SVM_RETURN_NOT_OK(TranslateSink());
  blueprint_ = translator_->Take();
  for (size_t i = 0; i < joins_.size(); ++i) {
    if (blueprint_.joins[i].reads_rows) SVM_RETURN_NOT_OK(joins_[i].AddRows(context_));
  }
  const Span span(&context_.stats->spans, Stage::kRender);
  rendered_ = vkernel::Render(blueprint_);
  if (context_.gpu != nullptr) PrepareForGpu();
  return base::Status::OK();
}

// The program is made while the CPU's kernel is compiled and build sides run.
void PipelineRun::PrepareForGpu() {
  why_not_gpu_ = vkernel::WhyNotOnCuda(blueprint_);
  if (!why_not_gpu_.empty()) return;
  gpu_text_ = vkernel::Render(blueprint_, vkernel::Target::kCuda).text;
  static_cast<void>(context_.gpu->programs().Find(blueprint_.title, gpu_text_));
}

base::Status PipelineRun::TranslateSink() {
  output_.name = source_.table->name();
  switch (pipeline_.sink) {
    case plan::SinkKind::kAggregate: {
      const auto& node = plan::As<plan::AggregateNode>(*pipeline_.node);
      grouping_ = ChooseGrouping(node, *translator_, source_, joins_);
      return translator_->AddAggregateSink(node, grouping_.form, grouping_.keys);
    }
    case plan::SinkKind::kSort:
    case plan::SinkKind::kTopN:
      sort_ = PlanSort(*pipeline_.node);
      return translator_->AddCollectSink(pipeline_.input->output, sort_.extra);
    case plan::SinkKind::kBuild:
      PlanBuildKeys();
      return translator_->AddCollectSink(pipeline_.input->output, extra_);
    default:
      return translator_->AddCollectSink(pipeline_.input->output);
  }
}

void PipelineRun::PlanBuildKeys() {
  const auto& join = plan::As<plan::JoinNode>(*pipeline_.node);
  const int num_columns = join.right().output.num_fields();
  for (const plan::ExpressionPtr& key : join.right_keys) {
    if (key->is_column()) {
      output_.keys.push_back(key->column);
    } else {
      output_.keys.push_back(num_columns + static_cast<int>(extra_.size()));
      extra_.push_back(key);
    }
  }
  const int column = TraceColumn(pipeline_, source_.schema.num_fields(), pipeline_.steps.size(),
                                 *join.right_keys[0]);
  if (column < 0) return;
  const columns::Zone zone = source_.zone(column);
  if (zone.known) output_.key_zone = zone;
}

base::Result<PipelineOutput> PipelineRun::Run(std::shared_ptr<vkernel::KernelSlot> kernel) {
  kernel_ = std::move(kernel);
  context_.stats->kernels.push_back({blueprint_.title, rendered_.text});
  SVM_ASSIGN_OR_RETURN(
      binding_, PipelineBinding::Make(context_, blueprint_, rendered_.arguments, source_, joins_));
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunSink());
  const bool build = pipeline_.sink == plan::SinkKind::kBuild;
  output_.schema =
      build ? plan::As<plan::JoinNode>(*pipeline_.node).right().output : pipeline_.node->output;
  output_.most_rows = build ? source_.table->num_rows() : rows.num_rows;
  output_.rows = std::make_shared<const RowSet>(std::move(rows));
  return std::move(output_);
}

base::Result<RowSet> PipelineRun::RunSink() {
  switch (pipeline_.sink) {
    case plan::SinkKind::kAggregate: {
      const auto& node = plan::As<plan::AggregateNode>(*pipeline_.node);
      return grouping_.form == vkernel::SinkForm::kHashGroups ? RunHash(node) : RunDense(node);
    }
    case plan::SinkKind::kSort:
    case plan::SinkKind::kTopN:
      return RunSorted();
    case plan::SinkKind::kLimit:
      return RunLimit();
    default:
      return RunCollect(INT64_MAX);
  }
}

base::Status PipelineRun::TranslateSteps() {
  SVM_ASSIGN_OR_RETURN(joins_, PrepareJoins(context_, pipeline_, source_, outputs_));
  const Span span(&context_.stats->spans, Stage::kRender);
  SVM_ASSIGN_OR_RETURN(vkernel::SourceFacts facts, source_.Facts());
  std::vector<vkernel::BuildFacts> builds;
  for (const PreparedJoin& join : joins_) builds.push_back(join.Facts());
  translator_ =
      std::make_unique<vkernel::PipelineTranslator>(pipeline_, std::move(facts), std::move(builds));
  return translator_->TranslateSteps();
}

std::vector<RowColumn> PipelineRun::OutputColumns() const {
  std::vector<RowColumn> columns;
  for (const vkernel::OutputColumn& output : blueprint_.sink.outputs) {
    columns.push_back(RowColumnOf(blueprint_, *output.value, output.nullable, source_, joins_));
  }
  return columns;
}

base::Result<RowSet> PipelineRun::RunCollect(int64_t enough) {
  // Rows of an earlier pipeline may be sorted: the first ones are those of the first partitions,
  // not those that are done first.
  if (pipeline_.source.scan == nullptr) enough = INT64_MAX;
  std::vector<std::unique_ptr<RowBuffer>> buffers;
  for (int i = 0; i < context_.workers.count(); ++i) {
    buffers.push_back(std::make_unique<RowBuffer>(context_.budget, OutputColumns()));
  }
  PartitionRows found(context_.workers.count());
  KernelRun run(context_, kernel_, binding_.get());
  const base::Status status = run.Run(
      [&](int worker, kernels::KernelCall* call) {
        call->output = buffers[worker].get();
        return base::Status::OK();
      },
      [&](int worker, const schedule::Partition& partition) {
        return found.Add(worker, partition, buffers[worker]->num_rows()) >= enough;
      });
  for (const auto& buffer : buffers) SVM_RETURN_NOT_OK(buffer->status());
  SVM_RETURN_NOT_OK(status);
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_FAULT_POINT("exec.collect.merge");
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       Concatenate(buffers, found.InOrder(), context_.budget, context_.workers));
  return WithKeepers(std::move(rows), run);
}

base::Result<RowSet> PipelineRun::RunDense(const plan::AggregateNode& node) {
  for (const Grouping::JoinCodes& codes : grouping_.join_codes) {
    SVM_RETURN_NOT_OK(joins_[codes.join].AddCodes(context_, codes.columns, *codes.codes));
  }
  binding_->RefreshJoins();
  std::vector<int64_t> origins;
  for (const DenseKey& key : grouping_.dense_keys) {
    origins.push_back(key.origin);
    origins.push_back(key.null_code);
  }
  const AggregateStates states = MakeAggregateStates(node, blueprint_.sink);
  DenseGroups groups(context_.budget, {grouping_.dense_keys, states.accumulators, 0},
                     context_.workers.count());
  KernelRun run(context_, kernel_, binding_.get());
  bool done = false;
  if (context_.gpu != nullptr) {
    SVM_ASSIGN_OR_RETURN(int64_t* const slots, groups.Slots(0));
    SVM_ASSIGN_OR_RETURN(done, TryGpu(&run, {slots, groups.num_slots(), states.accumulators,
                                             groups.strides(), origins}));
  }
  if (!done) {
    SVM_RETURN_NOT_OK(run.Run([&](int worker, kernels::KernelCall* call) -> base::Status {
      SVM_ASSIGN_OR_RETURN(call->dense, groups.Slots(worker));
      call->strides = groups.strides().data();
      call->origins = origins.data();
      return base::Status::OK();
    }));
  }
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_RETURN_NOT_OK(groups.Merge(context_.workers));
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       groups.Emit(grouping_.key_columns, states.outputs, context_.workers));
  return WithKeepers(std::move(rows), run);
}

base::Result<bool> PipelineRun::TryGpu(KernelRun* run, const DenseSink& sink) {
  GpuPipeline& report = context_.stats->gpu.emplace_back();
  report.title = blueprint_.title;
  report.why_not = why_not_gpu_;
  if (!report.why_not.empty()) return false;
  report.text = gpu_text_;
  const auto program = GpuProgram();
  if (!program.ok()) report.why_not = program.status().message();
  if (program.ok() && *program == nullptr) report.why_not = "its kernel is still being compiled";
  if (!report.why_not.empty()) return false;
  SVM_ASSIGN_OR_RETURN(const MeasuredSteps steps, run->MeasureSteps());
  const base::Result<GpuTimes> ran =
      RunOnGpu(context_, context_.gpu, **program, *binding_, steps, sink);
  // The groups are as they were. If it was the query that failed it fails again, here.
  if (!ran.ok()) report.why_not = ran.status().message();
  if (!ran.ok()) return false;
  report.times = *ran;
  return true;
}

base::Result<vkernel::ProgramCache::Loaded> PipelineRun::GpuProgram() {
  const Span span(&context_.stats->spans, Stage::kCompile);
  vkernel::ProgramCache& programs = context_.gpu->programs();
  if (context_.mode == schedule::Mode::kGpu) return programs.Get(blueprint_.title, gpu_text_);
  return programs.Find(blueprint_.title, gpu_text_);
}

std::vector<HashKeyColumn> PipelineRun::HashKeyColumns() const {
  std::vector<HashKeyColumn> columns;
  int bit = 0;
  for (const vkernel::GroupKey& key : blueprint_.sink.keys) {
    RowColumn column = RowColumnOf(blueprint_, *key.value, key.nullable, source_, joins_);
    columns.push_back({std::move(column), key.word, key.nullable ? 0 : -1, bit++});
  }
  return columns;
}

base::Result<RowSet> PipelineRun::RunHash(const plan::AggregateNode& node) {
  const AggregateStates states = MakeAggregateStates(node, blueprint_.sink);
  auto groups = std::make_shared<HashGroups>(context_.budget, states.accumulators,
                                             blueprint_.sink.key_words, context_.workers.count());
  binding_->set_key_interner(groups->interner());
  KernelRun run(context_, kernel_, binding_.get());
  const base::Status status = run.Run([&](int worker, kernels::KernelCall* call) {
    call->groups = groups->worker(worker);
    return base::Status::OK();
  });
  for (int i = 0; i < context_.workers.count(); ++i) SVM_RETURN_NOT_OK(groups->worker(i)->status());
  SVM_RETURN_NOT_OK(status);
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_RETURN_NOT_OK(groups->Merge(context_.workers));
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       groups->Emit(HashKeyColumns(), states.outputs, groups, context_.workers));
  return WithKeepers(std::move(rows), run);
}

base::Result<RowSet> PipelineRun::RunSorted() {
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunCollect(INT64_MAX));
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_ASSIGN_OR_RETURN(rows, SortRows(context_, sort_, std::move(rows)));
  return KeepColumns(std::move(rows), KeptBy(*pipeline_.node));
}

base::Result<RowSet> PipelineRun::RunLimit() {
  const auto& node = plan::As<plan::LimitNode>(*pipeline_.node);
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunCollect(RowsWanted(node)));
  SVM_ASSIGN_OR_RETURN(
      rows, Slice(std::move(rows), node.offset, node.count, context_.budget, context_.workers));
  return KeepColumns(std::move(rows), node.kept);
}

}  // namespace shadowvm::exec
