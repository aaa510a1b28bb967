// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/pipeline_run.h"

#include <algorithm>
#include <chrono>

#include "engine/base/elapsed.h"
#include "engine/exec/column_trace.h"
#include "engine/exec/gpu/table_build.h"
#include "engine/exec/gpu/table_launch.h"

namespace shadowvm::exec {
namespace {

using base::Span;
using base::Stage;
using schedule::Mode;
using schedule::Side;

// Before the reason for it.
constexpr char kNoGpu[] = "there is no GPU now: ";

}  // namespace

base::Status PipelineRun::Plan() {
  SVM_RETURN_NOT_OK(TranslateSteps());
  SVM_RETURN_NOT_OK(TranslateSink());
  blueprint_ = translator_->Take();
  for (size_t i = 0; i < joins_.size(); ++i) {
    if (!blueprint_.joins[i].reads_rows) continue;
    if (joins_[i].is_for_device()) return NeedRows("");
    SVM_RETURN_NOT_OK(joins_[i].AddRows(context_));
  }
  {
    const Span span(&context_.stats->spans, Stage::kRender);
    vkernel::RenderedKernel rendered = vkernel::Render(blueprint_);
    text_ = std::make_shared<const vkernel::KernelText>(
        vkernel::KernelText{blueprint_.title, std::move(rendered.text)});
    history_ = std::make_unique<PipelineHistory>(context_, text_->text);
    arguments_ = std::move(rendered.arguments);
  }
  if (may_make_table_) SVM_RETURN_NOT_OK(PlanTable());
  if (context_.gpu != nullptr && !makes_table()) PrepareForGpu();
  if (!HasDeviceTables()) return base::Status::OK();
  if (!why_not_gpu_.empty()) return NeedRows("");
  const bool made = std::all_of(joins_.begin(), joins_.end(),
                                [](const PreparedJoin& join) { return join.table != nullptr; });
  return made ? base::Status::OK() : MakeTables({});
}

base::Status PipelineRun::PlanTable() {
  const auto& join = plan::As<plan::JoinNode>(*pipeline_.node);
  if (output_.keys.size() != 1 || join.join_kind == plan::JoinKind::kLeftOuter) {
    return base::Status::OK();
  }
  TableBuild::BuildSide side{blueprint_,      &source_,         OutputColumns(),
                             output_.keys[0], output_.key_zone, !plan::GivesPairs(join.join_kind),
                             *history_};
  SVM_ASSIGN_OR_RETURN(table_build_, TableBuild::Plan(context_, std::move(side)));
  return base::Status::OK();
}

PipelineOutput PipelineRun::WithoutRows() const {
  PipelineOutput output = output_;
  output.schema = plan::As<plan::JoinNode>(*pipeline_.node).right().output;
  output.most_rows = source_.table->num_rows();
  output.rows = table_build_->no_rows();
  output.table_build = table_build_;
  return output;
}

void PipelineRun::CollectInstead(const std::string& why) {
  table_build_.reset();
  why_not_gpu_ = why;
  if (why.empty()) PrepareForGpu();
}

base::Status PipelineRun::NeedRows(const std::string& why) {
  needs_rows_ = true;
  why_rows_ = why;
  return base::MakeError(base::ErrorCode::kUnsupported, "rows of a build side are needed");
}

bool PipelineRun::HasDeviceTables() const {
  return std::any_of(joins_.begin(), joins_.end(),
                     [](const PreparedJoin& join) { return join.is_for_device(); });
}

base::Status PipelineRun::MakeTablesFor(const plan::AggregateNode& node) {
  const std::vector<vkernel::KeyOrigin> origins = translator_->OriginsOf(node);
  const std::map<int, std::vector<int>> codes = PayloadKeys(origins);
  if (codes.empty()) return base::Status::OK();
  // By hash, columns of build sides are read.
  if (!MayBeDense(translator_->blueprint(), origins, source_)) return NeedRows("");
  return MakeTables(codes);
}

base::Status PipelineRun::MakeTables(const std::map<int, std::vector<int>>& code_columns) {
  std::vector<TableBuild*> builds;
  for (size_t i = 0; i < joins_.size(); ++i) {
    if (!joins_[i].is_for_device()) continue;
    const auto columns = code_columns.find(static_cast<int>(i));
    const bool codes = columns != code_columns.end();
    if (codes && !GivesCodesByKey(translator_->blueprint().joins[i])) return NeedRows("");
    TableBuild* const build = joins_[i].build->table_build.get();
    const int part = static_cast<int>(builds.size() % kernels::kMostParts);
    const base::Status asked =
        build->Ask(part, joins_[i].options, codes ? columns->second : std::vector<int>());
    if (!asked.ok()) return NeedRows("");
    builds.push_back(build);
  }
  if (!exec::MakeTables(context_, builds).ok()) return NeedRows("");
  for (PreparedJoin& join : joins_) {
    if (join.is_for_device()) join.TakeMade();
  }
  return base::Status::OK();
}

base::Status PipelineRun::TranslateSink() {
  output_.name = source_.table->name();
  switch (pipeline_.sink) {
    case plan::SinkKind::kAggregate: {
      const auto& node = plan::As<plan::AggregateNode>(*pipeline_.node);
      if (HasDeviceTables()) SVM_RETURN_NOT_OK(MakeTablesFor(node));
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
  context_.stats->kernels.push_back(text_);
  if (binding_ == nullptr) {
    SVM_ASSIGN_OR_RETURN(binding_,
                         PipelineBinding::Make(context_, blueprint_, arguments_, source_, joins_));
  }
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunMeasured());
  const bool build = pipeline_.sink == plan::SinkKind::kBuild;
  PipelineOutput output = output_;
  output.schema =
      build ? plan::As<plan::JoinNode>(*pipeline_.node).right().output : pipeline_.node->output;
  output.most_rows = build ? source_.table->num_rows() : rows.num_rows;
  output.rows = std::make_shared<const RowSet>(std::move(rows));
  return output;
}

base::Result<RowSet> PipelineRun::RunMeasured() {
  if (context_.gpu == nullptr) return RunWithoutGpu();
  ChooseDevice();
  if (mode_ != Mode::kGpu && HasDeviceTables()) return NeedRows(devices().reason);
  return RunReported();
}

base::Result<RowSet> PipelineRun::RunWithoutGpu() {
  mode_ = Mode::kCpu;
  if (context_.no_gpu.empty()) return RunSink();
  PipelineDevices& report = context_.stats->devices.emplace_back();
  report.title = blueprint_.title;
  report.reason = kNoGpu + context_.no_gpu;
  return RunReported();
}

base::Result<RowSet> PipelineRun::RunReported() {
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunSink());
  PipelineDevices& report = devices();
  report.mode = mode_;
  report.real_ms = ran_.milliseconds;
  if (mode_ != Mode::kMixed) report.rows[mode_ == Mode::kGpu ? Side::kGpu : Side::kCpu] = ran_.rows;
  return rows;
}

base::Result<RowSet> PipelineRun::RunSink() {
  // A compile is no part of what rows take. Who has run on a GPU before can do without the kernel.
  if (kernel_ == nullptr && (mode_ != Mode::kGpu || !steps_)) {
    const base::Span span(&context_.stats->spans, base::Stage::kCompile);
    SVM_ASSIGN_OR_RETURN(kernel_, context_.kernels->Get(text_->name, text_->text));
  }
  const int64_t rows_before = context_.stats->rows_read;
  const int64_t bytes_before = context_.stats->bytes_read;
  reads_files_ = false;
  const auto start = device_start_ = std::chrono::steady_clock::now();
  SVM_ASSIGN_OR_RETURN(RowSet rows, FillSink());
  const double milliseconds = base::MillisecondsSince(start);
  const std::chrono::duration<double, std::milli> others = device_start_ - start;
  ran_ = {context_.stats->rows_read - rows_before, context_.stats->bytes_read - bytes_before,
          milliseconds, milliseconds - others.count()};
  if (context_.mode == Mode::kGpu && context_.gpu != nullptr) PredictAsTold();
  if (mode_ == Mode::kCpu) RememberCores();
  if (mode_ == Mode::kGpu) RememberGpu(context_.stats->gpu.back().times);
  return rows;
}

base::Status PipelineRun::TranslateSteps() {
  SVM_ASSIGN_OR_RETURN(joins_, PrepareJoins(context_, pipeline_, source_, outputs_));
  for (const PreparedJoin& join : joins_) {
    const bool direct = join.options.shape.kind == JoinShape::Kind::kDirect;
    if (join.is_for_device() && !direct) return NeedRows("");
  }
  const Span span(&context_.stats->spans, Stage::kRender);
  SVM_ASSIGN_OR_RETURN(vkernel::SourceFacts facts, source_.Facts());
  std::vector<vkernel::BuildFacts> builds;
  for (const PreparedJoin& join : joins_) builds.push_back(join.Facts());
  translator_ =
      std::make_unique<vkernel::PipelineTranslator>(pipeline_, std::move(facts), std::move(builds));
  return translator_->TranslateSteps();
}

}  // namespace shadowvm::exec
