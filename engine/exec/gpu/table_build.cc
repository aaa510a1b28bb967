// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/table_build.h"

#include "engine/exec/grouping.h"
#include "engine/exec/pipeline_facts.h"
#include "engine/vkernel/blueprint/title.h"
#include "engine/vkernel/render/kernel_renderer.h"

namespace shadowvm::exec {
namespace {

using base::Result;
using base::Status;
using schedule::Mode;
using schedule::Side;

constexpr char kManyValues[] = "groups by columns of a build side with many values";

// The column of the source that an output is as it is, in the blueprint; or -1.
int SourceColumnOf(const vkernel::Blueprint& blueprint, const plan::Expression& value) {
  if (!value.is_column()) return -1;
  const vkernel::Input& input = blueprint.inputs[value.column];
  return input.is_payload ? -1 : input.index;
}

}  // namespace

Result<std::shared_ptr<TableBuild>> TableBuild::Plan(const QueryContext& context, BuildSide side) {
  const bool simple = side.blueprint.joins.empty() && side.blueprint.levels.size() == 1 &&
                      side.columns[static_cast<size_t>(side.key)].is_integer();
  // Columns that each query brings anew, or reads over the link, are the CPU's.
  if (!simple || context.gpu->options().prefetch != GpuPrefetch::kKept) return nullptr;
  std::shared_ptr<TableBuild> build(new TableBuild(context, std::move(side)));
  SVM_ASSIGN_OR_RETURN(const bool worth_it, build->IsWorthIt());
  if (!worth_it) return nullptr;
  SVM_ASSIGN_OR_RETURN(RowSet none, MakeRowSet(context.budget, build->side_.columns, 0));
  build->no_rows_ = std::make_shared<const RowSet>(std::move(none));
  return build;
}

Result<bool> TableBuild::IsWorthIt() {
  if (context_.mode == Mode::kGpu) return true;
  SVM_ASSIGN_OR_RETURN(const auto kernel, Write(0, {}));
  schedule::PipelineFacts facts = FactsOf(context_, *kernel->binding, "");
  facts.remembered = history_.Find(facts.in_memory, facts.device_share);
  const schedule::DeviceChoice choice = schedule::ChooseDevice(facts, context_.machine);
  predicted_ms_ = choice.predicted_ms[Side::kGpu];
  reason_ = choice.reason;
  return choice.mode == Mode::kGpu;
}

// The steps of the pipeline that collects rows, with a table for a sink.
vkernel::Blueprint TableBuild::BlueprintOf() const {
  vkernel::Blueprint blueprint = side_.blueprint;
  blueprint.sink = {};
  blueprint.sink.form = vkernel::SinkForm::kTable;
  blueprint.sink.outputs = {side_.blueprint.sink.outputs[static_cast<size_t>(side_.key)]};
  return blueprint;
}

Status TableBuild::AddKeys(Kernel* kernel) {
  std::vector<plan::ExpressionPtr> values;
  for (const int column : kernel->columns) {
    values.push_back(side_.blueprint.sink.outputs[static_cast<size_t>(column)].value);
    const int index = SourceColumnOf(side_.blueprint, *values.back());
    auto dense = index < 0 ? std::nullopt : DenseColumnOf(side_.blueprint, index, *side_.source);
    if (!dense) return Refuse(kManyValues);
    kernel->blueprint.sink.keys.push_back(std::move(dense->key));
    kernel->keys.push_back(std::move(dense->dense));
  }
  const auto groups = DenseGroups::NumSlots(kernel->keys);
  if (!groups || *groups > GroupCodes::kMaxCodes) return Refuse(kManyValues);
  kernel->blueprint.title =
      vkernel::MakeTitle(kernel->blueprint, side_.source->table->name(), values);
  return Status::OK();
}

Result<std::unique_ptr<TableBuild::Kernel>> TableBuild::Write(int part,
                                                              const std::vector<int>& columns) {
  const base::Span span(&context_.stats->spans, base::Stage::kRender);
  auto kernel = std::make_unique<Kernel>();
  kernel->columns = columns;
  kernel->blueprint = BlueprintOf();
  SVM_RETURN_NOT_OK(AddKeys(kernel.get()));
  vkernel::RenderedKernel rendered = vkernel::RenderPart(kernel->blueprint, part);
  kernel->text = std::move(rendered.text);
  SVM_ASSIGN_OR_RETURN(kernel->binding,
                       PipelineBinding::Make(context_, kernel->blueprint, rendered.arguments,
                                             *side_.source, no_joins_));
  return kernel;
}

Status TableBuild::Ask(int part, const JoinTableOptions& options, const std::vector<int>& columns) {
  made_ = {};
  SVM_ASSIGN_OR_RETURN(kernel_, Write(part, columns));
  options_ = options;
  sink_ = std::make_unique<TableSink>(context_.gpu, context_.budget, SinkOptions());
  return Status::OK();
}

TableSink::Options TableBuild::SinkOptions() const {
  TableSink::Options sink;
  // One of the two is known, or the table would not be addressed by key.
  sink.keys = options_.shape.checked ? *side_.key_zone : *options_.probe_zone;
  uint64_t stride = 1;
  for (const DenseKey& key : kernel_->keys) {
    sink.strides.push_back(stride);
    sink.origins.push_back(key.origin);
    sink.origins.push_back(key.null_code);
    stride *= key.size;
  }
  sink.num_groups = kernel_->keys.empty() ? 0 : static_cast<uint32_t>(stride);
  return sink;
}

Status TableBuild::Take() {
  if (!sink_->unique() && !side_.existence_only)
    return Refuse("a key of the build side comes twice");
  made_.table = JoinTable::OnDevice(no_rows_, options_, sink_->made(), context_.budget);
  made_.columns = kernel_->columns;
  if (!kernel_->columns.empty()) {
    SVM_ASSIGN_OR_RETURN(made_.groups, GroupRows(sink_->groups()));
    auto codes = std::make_shared<GroupCodes>();
    for (uint32_t row = 0; row < sink_->groups().size(); ++row) {
      codes->representatives.push_back(row);
    }
    made_.codes = std::move(codes);
  }
  return Status::OK();
}

Result<std::shared_ptr<const RowSet>> TableBuild::GroupRows(
    std::span<const uint32_t> groups) const {
  SVM_ASSIGN_OR_RETURN(
      RowSet rows, MakeRowSet(context_.budget, side_.columns, static_cast<int64_t>(groups.size())));
  uint32_t stride = 1;
  for (size_t i = 0; i < kernel_->keys.size(); ++i) {
    const DenseKey& key = kernel_->keys[i];
    std::vector<uint32_t> codes;
    for (const uint32_t group : groups) codes.push_back(group / stride % key.size);
    WriteColumnKey(key, codes, &rows.columns[static_cast<size_t>(kernel_->columns[i])]);
    stride *= key.size;
  }
  return std::make_shared<const RowSet>(std::move(rows));
}

Status TableBuild::Refuse(const std::string& why) {
  Fail(why);
  return base::MakeError(base::ErrorCode::kUnsupported, why);
}

void TableBuild::Fail(const std::string& why) {
  if (why_not_.empty()) why_not_ = why;
}

double TableBuild::PredictAsTold(const GpuTimes& times, int64_t rows) {
  schedule::PipelineFacts facts;
  facts.rows = rows;
  facts.bytes = times.device_bytes + times.link_bytes;
  facts.cores = context_.workers.count();
  facts.device_share = DeviceShare(times);
  facts.remembered = history_.Find(/*in_memory=*/true, facts.device_share);
  return schedule::Predict(facts, context_.machine).predicted(Mode::kGpu);
}

void TableBuild::Report(const std::string& launch_text, const GpuTimes& times,
                        const PipelineStats& stats, bool is_full_code) {
  const int64_t rows = stats.rows_on_gpu;
  if (context_.mode == Mode::kGpu) predicted_ms_ = PredictAsTold(times, rows);
  if (is_full_code) {
    history_.RecordGpu(DeviceShare(times),
                       static_cast<double>(rows) / (times.kernel_ms + times.copy_ms));
  }
  stats_ = stats;
  stats_->mode = Mode::kGpu;
  stats_->predicted_ms = predicted_ms_;
  stats_->real_ms = stats.milliseconds;
  stats_->reason = reason_;
  QueryStats& all = *context_.stats;
  all.kernels.push_back(
      std::make_shared<const vkernel::KernelText>(vkernel::KernelText{title(), launch_text}));
  all.gpu.push_back({title(), "", std::make_shared<const std::string>(launch_text), times});
  PipelineDevices& report = all.devices.emplace_back();
  report.title = title();
  report.mode = Mode::kGpu;
  report.reason = reason_;
  report.predicted_ms = predicted_ms_;
  report.real_ms = stats.milliseconds;
  report.rows[Side::kGpu] = stats.rows_on_gpu;
}

}  // namespace shadowvm::exec
