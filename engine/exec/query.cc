// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/query.h"

#include <algorithm>

#include "engine/exec/engine.h"
#include "engine/exec/gpu/build_choice.h"
#include "engine/exec/gpu/table_build.h"
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

// What was told of a query's pipelines up to here.
class StatsMark {
 public:
  explicit StatsMark(const QueryStats& stats)
      : kernels_(stats.kernels.size()), gpu_(stats.gpu.size()), devices_(stats.devices.size()) {}

  void Rewind(QueryStats* stats) const {
    stats->kernels.resize(kernels_);
    stats->gpu.resize(gpu_);
    stats->devices.resize(devices_);
  }

 private:
  size_t kernels_, gpu_, devices_;
};

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
  context_.no_gpu.clear();
  if (context_.mode != schedule::Mode::kCpu) {
    gpu_ = engine_.gpu_->Take(context_.wait_for_gpu, &context_.no_gpu);
    context_.gpu = gpu_.get();
    // Who did not ask for a GPU that never was there need not hear of it with every pipeline.
    const bool is_news = gpu_ != nullptr || context_.mode != schedule::Mode::kAuto;
    if (!is_news && !engine_.gpu_->was_up()) context_.no_gpu.clear();
  }
  context_.policy = options.policy;
  context_.trace = options.trace;
  context_.stats = options.stats;
  context_.partitions = options.partitions;
  // A query that starts over runs other kernels.
  context_.stats->kernels.clear();
  context_.stats->gpu.clear();
  context_.stats->devices.clear();
  context_.stats->sorts.clear();
  context_.stats->fills.clear();
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
  passed_.assign(pipelines.size(), std::nullopt);
  on_device_.assign(pipelines.size(), std::nullopt);
  num_told_ = 0;
  if (build_keys_.empty()) SVM_RETURN_NOT_OK(FindBuilds());
  SVM_RETURN_NOT_OK(PrepareLeaves());
  for (const plan::Pipeline& pipeline : pipelines) SVM_RETURN_NOT_OK(Pass(pipeline));
  return Answer(pipelines.back());
}

base::Status Query::Pass(const plan::Pipeline& pipeline) {
  if (options_.cancel != nullptr) SVM_RETURN_NOT_OK(options_.cancel->Check());
  if (Waits(pipeline.id)) return base::Status::OK();
  if (std::any_of(pipeline.depends_on.begin(), pipeline.depends_on.end(),
                  [&](int input) { return Waits(input); })) {
    SVM_RETURN_NOT_OK(PlanPipeline(pipeline));
    PassInputs(pipeline);
    TellBarriers();
  }
  std::optional<PipelineMeter> meter(std::in_place, *context_.stats);
  const StatsMark mark(*context_.stats);
  base::Status status = RunPipeline(pipeline);
  if (!status.ok() && NeedsRows(pipeline)) {
    // Once more from the start, and what is told of it is told then.
    mark.Rewind(context_.stats);
    SVM_RETURN_NOT_OK(CollectInputs(pipeline, planned_[pipeline.id]->run->why_rows()));
    planned_[pipeline.id].reset();
    meter.emplace(*context_.stats);
    status = RunPipeline(pipeline);
  }
  SVM_RETURN_NOT_OK(status);
  passed_[pipeline.id] = meter->Read(pipeline.id, outputs_[pipeline.id].rows->num_rows);
  TellBarriers();
  ReleaseInputs(pipeline);
  return base::Status::OK();
}

void Query::PassInputs(const plan::Pipeline& pipeline) {
  for (const int input : pipeline.depends_on) {
    if (!Waits(input)) continue;
    passed_[input] = outputs_[input].table_build->stats();
    passed_[input]->index = input;
  }
}

// In their order: build sides that wait hold others back.
void Query::TellBarriers() {
  for (; num_told_ < passed_.size() && passed_[num_told_]; ++num_told_) {
    if (options_.on_barrier) options_.on_barrier(*passed_[num_told_]);
  }
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
    const bool build = pipeline.sink == plan::SinkKind::kBuild && pipeline.source.scan != nullptr;
    if (!build || !builds_.keeps()) continue;
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
  if (leaves.empty()) return base::Status::OK();
  const Span span(&context_.stats->spans, Stage::kCompile);
  SVM_ASSIGN_OR_RETURN(auto kernels, context_.kernels->GetAll(texts));
  for (size_t i = 0; i < leaves.size(); ++i) {
    Planned& planned = *planned_[leaves[i]];
    planned.kernel = std::move(kernels[i]);
    if (planned.run->makes_table()) outputs_[leaves[i]] = planned.run->WithoutRows();
  }
  return base::Status::OK();
}

base::Result<bool> Query::MayMakeTable(const plan::Pipeline& pipeline) {
  using schedule::Mode;
  if (gpu_ == nullptr || pipeline.sink != plan::SinkKind::kBuild) return false;
  // Rows that are kept serve whatever later queries ask of them.
  if (pipeline.source.scan == nullptr || build_keys_[pipeline.id]) return false;
  if (context_.mode == Mode::kGpu) return true;
  if (context_.mode != Mode::kAuto) return false;
  // The table is for a pipeline that runs where it is made.
  for (const plan::Pipeline& other : plan_.pipelines()) {
    const auto& inputs = other.depends_on;
    if (std::find(inputs.begin(), inputs.end(), pipeline.id) == inputs.end()) continue;
    return IsSourceOnDevice(other);
  }
  return false;
}

base::Result<bool> Query::IsSourceOnDevice(const plan::Pipeline& pipeline) {
  if (pipeline.source.scan == nullptr) return false;
  std::optional<bool>& known = on_device_[static_cast<size_t>(pipeline.id)];
  if (!known) {
    SVM_ASSIGN_OR_RETURN(const auto table, plan_.Open(pipeline.source.scan->source));
    known = IsOnDevice(gpu_.get(), table.get(), pipeline.source.scan->columns);
  }
  return *known;
}

std::vector<SortColumn> Query::OrderWantedOf(const plan::Pipeline& pipeline) const {
  for (const plan::Pipeline& next : plan_.pipelines()) {
    const bool follows = next.source.scan == nullptr && next.source.pipeline == pipeline.id;
    if (follows && OnlyRearranges(next)) return OrderGivenBy(next);
  }
  return {};
}

std::unique_ptr<PipelineRun> Query::MakeRun(const plan::Pipeline& pipeline,
                                            const SourceView& source) {
  auto run = std::make_unique<PipelineRun>(context_, pipeline, source, outputs_);
  run->PreferOrder(OrderWantedOf(pipeline));
  return run;
}

base::Status Query::PlanPipeline(const plan::Pipeline& pipeline) {
  auto planned = std::make_unique<Planned>();
  SVM_ASSIGN_OR_RETURN(planned->source, ViewOf(pipeline));
  planned->run = MakeRun(pipeline, planned->source);
  SVM_ASSIGN_OR_RETURN(const bool may_make_table, MayMakeTable(pipeline));
  if (may_make_table) planned->run->AllowTable();
  base::Status status = planned->run->Plan();
  if (planned->run->needs_rows()) {
    SVM_RETURN_NOT_OK(CollectInputs(pipeline, planned->run->why_rows()));
    planned->run = MakeRun(pipeline, planned->source);
    status = planned->run->Plan();
  }
  SVM_RETURN_NOT_OK(status);
  planned->settled = planned->source.IsSettled();
  planned_[pipeline.id] = std::move(planned);
  return base::Status::OK();
}

bool Query::NeedsRows(const plan::Pipeline& pipeline) const {
  return planned_[pipeline.id] != nullptr && planned_[pipeline.id]->run->needs_rows();
}

base::Status Query::CollectInputs(const plan::Pipeline& pipeline, const std::string& why) {
  for (const int input : pipeline.depends_on) {
    if (!Waits(input)) continue;
    const std::string own = outputs_[input].table_build->why_not();
    const PipelineMeter meter(*context_.stats);
    planned_[input]->run->CollectInstead(own.empty() ? why : own);
    SVM_ASSIGN_OR_RETURN(outputs_[input], RunPlanned(plan_.pipelines()[input]));
    planned_[input].reset();  // a later run need not fail as this one did
    if (!passed_[input]) passed_[input] = meter.Read(input, outputs_[input].rows->num_rows);
  }
  return base::Status::OK();
}

base::Result<PipelineOutput> Query::RunPlanned(const plan::Pipeline& pipeline) {
  Planned& planned = *planned_[pipeline.id];
  return planned.run->Run(std::move(planned.kernel));
}

base::Status Query::RunPipeline(const plan::Pipeline& pipeline) {
  if (IsDone(pipeline)) return base::Status::OK();
  if (OnlyRearranges(pipeline)) {
    SVM_ASSIGN_OR_RETURN(outputs_[pipeline.id],
                         Rearrange(context_, pipeline, outputs_[pipeline.source.pipeline]));
    return base::Status::OK();
  }
  if (planned_[pipeline.id] == nullptr) SVM_RETURN_NOT_OK(PlanPipeline(pipeline));
  SVM_ASSIGN_OR_RETURN(outputs_[pipeline.id], RunPlanned(pipeline));
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
    if (needed || outputs_[input].kept != nullptr) continue;
    outputs_[input].rows.reset();
    if (Waits(input)) planned_[input].reset();
    outputs_[input].table_build.reset();
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
