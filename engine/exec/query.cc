// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/query.h"

#include <algorithm>

#include "engine/exec/engine.h"
#include "engine/exec/pipeline_meter.h"
#include "engine/exec/row_pipeline.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/storage/parquet_sink.h"
#include "engine/storage/parquet_table.h"

namespace shadowvm::exec {
namespace {

using base::Span;
using base::Stage;

std::vector<std::string> NamesOf(const columns::Schema& schema) {
  std::vector<std::string> names;
  for (const columns::Field& field : schema.fields) names.push_back(field.name);
  return names;
}

}  // namespace

Query::Query(Engine* engine, QueryPlan* plan, const RunOptions& options)
    : engine_(*engine), plan_(*plan), builds_(*engine->builds_) {
  context_.budget = &engine->budget_;
  context_.kernels = engine->kernels_.get();
  context_.history = &engine->history_;
  context_.machine = engine->machine_;
  context_.settings = plan->settings();
  Begin(options);
}

void Query::Begin(const RunOptions& options) {
  options_ = options;
  context_.workers = {engine_.device_.get(), options.cancel};
  context_.mode = options.mode;
  context_.wait_for_gpu = options.wait_for_gpu || context_.mode == schedule::Mode::kGpu;
  if (context_.mode != schedule::Mode::kCpu) {
    gpu_ = engine_.gpu_->Take(context_.wait_for_gpu);
    context_.gpu = gpu_.get();
  }
  context_.policy = options.policy;
  context_.trace = options.trace;
  context_.stats = options.stats;
  context_.partitions = options.partitions;
  // A query that starts over runs other kernels.
  context_.stats->kernels.clear();
  context_.stats->gpu.clear();
  context_.stats->devices.clear();
}

bool Query::IsPlanLasting(const plan::Pipeline& pipeline) const {
  const auto is_kept = [&](int input) { return outputs_[input].kept != nullptr; };
  return pipeline.source.scan != nullptr && planned_[pipeline.id]->settled &&
         std::all_of(pipeline.depends_on.begin(), pipeline.depends_on.end(), is_kept);
}

bool Query::Rest() {
  for (const plan::Pipeline& pipeline : plan_.pipelines()) {
    if (outputs_[pipeline.id].kept != nullptr) continue;
    if (!OnlyRearranges(pipeline) && planned_[pipeline.id] == nullptr) return false;
    outputs_[pipeline.id] = {};
  }
  last_gpu_ = gpu_;
  gpu_.reset();
  context_.gpu = nullptr;
  context_.stats = nullptr;
  context_.workers.cancel = nullptr;
  options_ = {};
  return true;
}

bool Query::BeginAgain(const RunOptions& options) {
  if (options.mode != context_.mode) return false;
  for (const plan::Pipeline& pipeline : plan_.pipelines()) {
    if (!IsUnchanged(pipeline)) return false;
  }
  Begin(options);
  // By owner: one that is gone is not the same as none.
  return !gpu_.owner_before(last_gpu_) && !last_gpu_.owner_before(gpu_);
}

bool Query::IsUnchanged(const plan::Pipeline& pipeline) const {
  if (pipeline.source.scan == nullptr) return true;
  const std::optional<BuildKey>& key = build_keys_[pipeline.id];
  const auto before = key.has_value()                    ? key->source_table()
                      : planned_[pipeline.id] != nullptr ? planned_[pipeline.id]->source.table
                                                         : nullptr;
  const auto now = plan_.Open(pipeline.source.scan->source);
  if (before == nullptr || !now.ok() || !storage::HasSameValues(*before, **now)) return false;
  storage::BeginQuery(before.get());
  return true;
}

base::Result<std::shared_ptr<arrow::Table>> Query::Run() {
  const std::vector<plan::Pipeline>& pipelines = plan_.pipelines();
  outputs_.resize(pipelines.size());
  planned_.resize(pipelines.size());
  if (build_keys_.empty()) SVM_RETURN_NOT_OK(FindBuilds());
  SVM_RETURN_NOT_OK(PrepareLeaves());
  for (const plan::Pipeline& pipeline : pipelines) SVM_RETURN_NOT_OK(Pass(pipeline));
  return Answer(pipelines.back());
}

base::Status Query::Pass(const plan::Pipeline& pipeline) {
  if (options_.cancel != nullptr) SVM_RETURN_NOT_OK(options_.cancel->Check());
  const PipelineMeter meter(*context_.stats);
  SVM_RETURN_NOT_OK(RunPipeline(pipeline));
  if (options_.on_barrier) {
    options_.on_barrier(meter.Read(pipeline.id, outputs_[pipeline.id].rows->num_rows));
  }
  ReleaseInputs(pipeline);
  return base::Status::OK();
}

base::Result<SourceView> Query::ViewOf(const plan::Pipeline& pipeline) {
  SourceView view;
  if (pipeline.source.scan != nullptr) {
    SVM_ASSIGN_OR_RETURN(view.table, plan_.Open(pipeline.source.scan->source));
    view.ordinals = pipeline.source.scan->columns;
    view.schema = pipeline.source.scan->output;
    return view;
  }
  const PipelineOutput& output = outputs_[pipeline.source.pipeline];
  SVM_ASSIGN_OR_RETURN(view.table, ToMemoryTable(*output.rows, output.name, NamesOf(output.schema),
                                                 context_.budget, context_.workers));
  view.schema = output.schema;
  for (int i = 0; i < view.schema.num_fields(); ++i) view.ordinals.push_back(i);
  return view;
}

base::Status Query::FindBuilds() {
  const Span span(&context_.stats->spans, Stage::kPlan);
  for (const plan::Pipeline& pipeline : plan_.pipelines()) {
    std::optional<BuildKey>& key = build_keys_.emplace_back();
    if (pipeline.sink != plan::SinkKind::kBuild || pipeline.source.scan == nullptr) continue;
    SVM_ASSIGN_OR_RETURN(const auto table, plan_.Open(pipeline.source.scan->source));
    key = BuildKey::Of(pipeline, context_.settings, table, builds_.in_memory());
    if (!key) continue;
    if (auto found = builds_.Find(*key)) outputs_[pipeline.id] = std::move(*found);
  }
  return base::Status::OK();
}

base::Status Query::PrepareLeaves() {
  std::vector<int> leaves;
  std::vector<vkernel::KernelText> texts;
  for (const plan::Pipeline& pipeline : plan_.pipelines()) {
    if (!pipeline.depends_on.empty() || IsDone(pipeline)) continue;
    if (planned_[pipeline.id] == nullptr) SVM_RETURN_NOT_OK(PlanPipeline(pipeline));
    leaves.push_back(pipeline.id);
    texts.push_back(planned_[pipeline.id]->run->text());
  }
  const Span span(&context_.stats->spans, Stage::kCompile);
  SVM_ASSIGN_OR_RETURN(auto kernels, context_.kernels->GetAll(texts));
  for (size_t i = 0; i < leaves.size(); ++i) planned_[leaves[i]]->kernel = std::move(kernels[i]);
  return base::Status::OK();
}

base::Status Query::PlanPipeline(const plan::Pipeline& pipeline) {
  auto planned = std::make_unique<Planned>();
  SVM_ASSIGN_OR_RETURN(planned->source, ViewOf(pipeline));
  planned->run = std::make_unique<PipelineRun>(context_, pipeline, planned->source, outputs_);
  SVM_RETURN_NOT_OK(planned->run->Plan());
  planned->settled = planned->source.IsSettled();
  planned_[pipeline.id] = std::move(planned);
  return base::Status::OK();
}

base::Status Query::RunPipeline(const plan::Pipeline& pipeline) {
  if (IsDone(pipeline)) return base::Status::OK();
  if (OnlyRearranges(pipeline)) {
    SVM_ASSIGN_OR_RETURN(outputs_[pipeline.id],
                         Rearrange(context_, pipeline, outputs_[pipeline.source.pipeline]));
    return base::Status::OK();
  }
  if (planned_[pipeline.id] == nullptr) SVM_RETURN_NOT_OK(PlanPipeline(pipeline));
  Planned& planned = *planned_[pipeline.id];
  if (planned.kernel == nullptr) {
    const Span span(&context_.stats->spans, Stage::kCompile);
    const vkernel::KernelText text = planned.run->text();
    SVM_ASSIGN_OR_RETURN(planned.kernel, context_.kernels->Get(text.name, text.text));
  }
  SVM_ASSIGN_OR_RETURN(outputs_[pipeline.id], planned.run->Run(planned.kernel));
  planned.kernel = nullptr;
  if (!IsPlanLasting(pipeline)) planned_[pipeline.id].reset();
  if (build_keys_[pipeline.id]) {
    builds_.Keep(*build_keys_[pipeline.id], outputs_[pipeline.id]);
  }
  return base::Status::OK();
}

// Rows that no later pipeline reads are given back at once.
void Query::ReleaseInputs(const plan::Pipeline& done) {
  const std::vector<plan::Pipeline>& pipelines = plan_.pipelines();
  for (const int input : done.depends_on) {
    const bool needed = std::any_of(
        pipelines.begin() + done.id + 1, pipelines.end(), [&](const plan::Pipeline& later) {
          return std::find(later.depends_on.begin(), later.depends_on.end(), input) !=
                 later.depends_on.end();
        });
    // Those that are kept are there anyway.
    if (!needed && outputs_[input].kept == nullptr) outputs_[input].rows.reset();
  }
}

base::Result<std::shared_ptr<arrow::Table>> Query::Answer(const plan::Pipeline& last) {
  const Span span(&context_.stats->spans, Stage::kMerge);
  const PipelineOutput& output = outputs_[last.id];
  context_.stats->rows = output.rows->num_rows;
  SVM_ASSIGN_OR_RETURN(auto answer, ToArrow(*output.rows, NamesOf(output.schema), context_.budget,
                                            context_.workers));
  if (last.sink != plan::SinkKind::kParquet) return answer;
  const auto& sink_node = plan::As<plan::SinkNode>(*last.node);
  SVM_ASSIGN_OR_RETURN(auto sink, storage::ParquetSink::Open(sink_node.path, answer->schema(), {}));
  SVM_RETURN_NOT_OK(sink->Write(*answer));
  SVM_RETURN_NOT_OK(sink->Finish());
  return answer->Slice(0, 0);
}

}  // namespace shadowvm::exec
