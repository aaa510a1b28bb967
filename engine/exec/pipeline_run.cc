// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/pipeline_run.h"

#include <algorithm>
#include <chrono>

#include "engine/base/elapsed.h"
#include "engine/base/fault.h"
#include "engine/exec/aggregate_states.h"
#include "engine/exec/column_trace.h"
#include "engine/exec/gpu/build_choice.h"
#include "engine/exec/gpu/collect_sink.h"
#include "engine/exec/gpu/dense_sink.h"
#include "engine/exec/gpu/gpu_run.h"
#include "engine/exec/gpu/hash_sink.h"
#include "engine/exec/gpu/table_build.h"
#include "engine/exec/gpu/table_launch.h"
#include "engine/exec/mixed_dense.h"
#include "engine/exec/mixed_hash.h"
#include "engine/exec/mixed_rows.h"
#include "engine/exec/mixed_run.h"
#include "engine/exec/partition_rows.h"
#include "engine/exec/pipeline_facts.h"
#include "engine/exec/sort_run.h"
#include "engine/exec/state/row_buffer.h"
#include "engine/exec/state/row_conversion.h"

namespace shadowvm::exec {
namespace {

using base::Span;
using base::Stage;
using schedule::Mode;
using schedule::Side;

// A GPU's rows cross the link and are put in order again by one thread: more than this, and the CPU
// had better find them itself, unless it is told not to.
constexpr int64_t kMostRowsBack = int64_t{256} << 10;

// Before the reason for it.
constexpr char kNoGpu[] = "there is no GPU now: ";

// Measured: what both find of many groups takes longer to merge than the better one to find alone.
constexpr char kOneMergesSooner[] = "one alone is sooner done with groups by hash, or rows";

// A kernel cannot be stopped, so it must end on its own before it seems to hang, whatever matches.
constexpr double kMostPairs = 1e13;

// Rows after which a limit has all it wants.
int64_t RowsWanted(const plan::LimitNode& node) {
  return node.count > INT64_MAX - node.offset ? INT64_MAX : node.offset + node.count;
}

// As kernels are told of them: two numbers a key.
std::vector<int64_t> OriginsOf(std::span<const DenseKey> keys) {
  std::vector<int64_t> origins;
  for (const DenseKey& key : keys) {
    origins.push_back(key.origin);
    origins.push_back(key.null_code);
  }
  return origins;
}

// 'others' keep alive what strings of a GPU's rows point to, if anything.
RowSet WithKeepers(RowSet rows, const KernelRun& run, Keeper others = nullptr) {
  for (Keeper& keeper : run.keepers()) rows.keepers.push_back(std::move(keeper));
  if (others != nullptr) rows.keepers.push_back(std::move(others));
  return rows;
}

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

// The program is made while the CPU's kernel is compiled and build sides run.
void PipelineRun::PrepareForGpu() {
  why_not_gpu_ = WhyNotOnGpu();
  if (!why_not_gpu_.empty()) return;
  gpu_text_ =
      std::make_shared<const std::string>(vkernel::Render(blueprint_, vkernel::Target::kCuda).text);
  if (context_.wait_for_gpu) {
    context_.gpu->programs().Prepare(blueprint_.title, *gpu_text_);
  } else {
    static_cast<void>(context_.gpu->programs().Find(blueprint_.title, *gpu_text_));
  }
}

std::string PipelineRun::WhyNotOnGpu() const {
  if (pipeline_.sink == plan::SinkKind::kLimit) return "a limit, which a few rows may fill";
  if (MostPairs() > kMostPairs) return "a join that may give more pairs than a launch should take";
  if (pipeline_.sink != plan::SinkKind::kBuild) return "";
  return WhyNotBuildOnGpu(context_.gpu, source_, blueprint_);
}

double PipelineRun::MostPairs() const {
  auto pairs = static_cast<double>(source_.table->num_rows());
  for (size_t i = 0; i < joins_.size(); ++i) {
    if (blueprint_.joins[i].expands())
      pairs *= static_cast<double>(joins_[i].build->rows->num_rows);
  }
  return pairs;
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

void PipelineRun::ChooseDevice() {
  PipelineDevices& report = context_.stats->devices.emplace_back();
  report.title = blueprint_.title;
  mode_ = context_.mode;
  if (mode_ == Mode::kGpu) return;  // tried there, and told of
  schedule::PipelineFacts facts = FactsOf(context_, *binding_, why_not_gpu_);
  facts.remembered = history_->Find(facts.in_memory, facts.device_share);
  device_share_ = facts.device_share;
  remembered_ = facts.remembered;
  const schedule::DeviceChoice choice = schedule::ChooseDevice(facts, context_.machine);
  const bool never = !why_not_gpu_.empty() || !facts.in_memory;
  if (mode_ == Mode::kAuto || never) {
    mode_ = choice.mode;
    report.reason = choice.reason;
  }
  if (context_.mode == Mode::kAuto && mode_ == Mode::kMixed && !grouping_.is_dense()) {
    const schedule::BySide<double>& alone = choice.predicted_ms;
    mode_ = alone[Side::kGpu] < alone[Side::kCpu] ? Mode::kGpu : Mode::kCpu;
    report.reason = kOneMergesSooner;
  }
  report.predicted_ms = choice.predicted(mode_);
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

void PipelineRun::PredictAsTold() {
  schedule::PipelineFacts facts;
  facts.rows = ran_.rows;
  facts.bytes = ran_.bytes;
  facts.cores = context_.workers.count();
  if (mode_ == Mode::kGpu) facts.device_share = DeviceShare(context_.stats->gpu.back().times);
  facts.remembered = history_->Find(!reads_files_, facts.device_share);
  devices().predicted_ms = schedule::Predict(facts, context_.machine).predicted(mode_);
}

void PipelineRun::RememberCores() {
  const double rows_per_ms = static_cast<double>(ran_.rows) / ran_.device_milliseconds;
  history_->RecordCores(!reads_files_, rows_per_ms / context_.workers.count());
}

void PipelineRun::RememberGpu(const GpuTimes& times) {
  // Chunks that are copied while others are worked on tell nothing of rows at another place.
  const bool active = context_.gpu->options().prefetch == GpuPrefetch::kActive;
  if (!is_full_code_ || active || times.device_bytes + times.link_bytes == 0) return;
  // What rows and groups by hash cost is mostly what happens to them after the kernel. Copies are
  // what it costs that rows were in the host's memory; files that were read are not.
  const double milliseconds = grouping_.is_dense()
                                  ? times.kernel_ms + times.copy_ms
                                  : ran_.device_milliseconds - times.wait_ms - times.read_ms;
  history_->RecordGpu(DeviceShare(times), static_cast<double>(ran_.rows) / milliseconds);
}

base::Result<RowSet> PipelineRun::FillSink() {
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

std::vector<RowColumn> PipelineRun::OutputColumns() const {
  std::vector<RowColumn> columns;
  for (const vkernel::OutputColumn& output : blueprint_.sink.outputs) {
    columns.push_back(RowColumnOf(blueprint_, *output.value, output.nullable, source_, joins_));
  }
  return columns;
}

base::Result<RowSet> PipelineRun::RunCollect(int64_t enough) {
  KernelRun run(context_, *text_, std::move(kernel_), binding_.get());
  if (mode_ == Mode::kCpu) return CollectOnCpu(&run, enough);
  CollectSink::Options options;
  // Nobody asks for the order of a build side's rows.
  options.in_order = pipeline_.sink != plan::SinkKind::kBuild;
  if (context_.mode != Mode::kGpu) options.most_rows = kMostRowsBack;
  if (mode_ == Mode::kMixed) options.launch_rows = MixedRun::kMostBatchRows;
  CollectSink card(context_.budget, OutputColumns(), options);
  if (mode_ == Mode::kMixed) {
    MixedRows both(context_.budget, context_.workers, OutputColumns(), &card);
    SVM_RETURN_NOT_OK(RunMixed(&run, &both));
    const Span span(&context_.stats->spans, Stage::kMerge);
    SVM_ASSIGN_OR_RETURN(RowSet rows, both.TakeRows());
    return WithKeepers(std::move(rows), run);
  }
  SVM_ASSIGN_OR_RETURN(const bool done, TryGpu(&run, &card));
  if (!done) return CollectOnCpu(&run, enough);
  SVM_ASSIGN_OR_RETURN(CollectSink::Found found, card.TakeFound());
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       InSourceOrder(std::move(found), context_.budget, context_.workers));
  return WithKeepers(std::move(rows), run);
}

base::Result<RowSet> PipelineRun::CollectOnCpu(KernelRun* run, int64_t enough) {
  // Rows of an earlier pipeline may be sorted: the first ones are those of the first partitions,
  // not those that are done first.
  if (pipeline_.source.scan == nullptr) enough = INT64_MAX;
  std::vector<std::unique_ptr<RowBuffer>> buffers;
  for (int i = 0; i < context_.workers.count(); ++i) {
    buffers.push_back(std::make_unique<RowBuffer>(context_.budget, OutputColumns()));
  }
  PartitionRows found(context_.workers.count());
  const base::Status status = run->Run(
      [&](int worker, kernels::KernelCall* call) {
        call->output = buffers[worker].get();
        return base::Status::OK();
      },
      [&](int worker, const schedule::Partition& partition) {
        return found.Add(worker, partition, buffers[worker]->num_rows()) >= enough;
      });
  for (const auto& buffer : buffers) SVM_RETURN_NOT_OK(buffer->status());
  SVM_RETURN_NOT_OK(status);
  reads_files_ = run->reads_files();
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_FAULT_POINT("exec.collect.merge");
  SVM_ASSIGN_OR_RETURN(RowSet rows,
                       Concatenate(buffers, found.InOrder(), context_.budget, context_.workers));
  return WithKeepers(std::move(rows), *run);
}

base::Status PipelineRun::AddGroupCodes() {
  if (has_group_codes_) return base::Status::OK();
  for (const Grouping::JoinCodes& codes : grouping_.join_codes) {
    SVM_RETURN_NOT_OK(joins_[codes.join].AddCodes(context_, codes.columns, *codes.codes));
  }
  binding_->RefreshJoins();
  has_group_codes_ = true;
  return base::Status::OK();
}

PipelineRun::Dense::Dense(const QueryContext& context, const Grouping& grouping,
                          AggregateStates of_node)
    : states(std::move(of_node)),
      origins(OriginsOf(grouping.dense_keys)),
      groups(context.budget, {grouping.dense_keys, states.accumulators, 0},
             context.workers.count()),
      sink(context.budget, groups.num_slots(), states.accumulators, groups.strides(), origins) {}

base::Result<RowSet> PipelineRun::RunDense(const plan::AggregateNode& node) {
  SVM_RETURN_NOT_OK(AddGroupCodes());
  if (!dense_) dense_.emplace(context_, grouping_, MakeAggregateStates(node, blueprint_.sink));
  DenseGroups& groups = dense_->groups;
  KernelRun run(context_, *text_, std::move(kernel_), binding_.get());
  bool done = false;
  Keeper strings;
  if (mode_ == Mode::kMixed) {
    MixedDense both(&groups, dense_->sink);
    SVM_RETURN_NOT_OK(RunMixed(&run, &both));
    strings = both.TakeKeeper();
    done = true;
  } else if (mode_ == Mode::kGpu) {
    SVM_ASSIGN_OR_RETURN(done, TryGpu(&run, &dense_->sink));
    if (auto found = dense_->sink.TakeFound(); done) groups.AddArray(std::move(found));
    strings = dense_->sink.TakeArena();
  }
  if (!done) {
    SVM_RETURN_NOT_OK(run.Run([&](int worker, kernels::KernelCall* call) -> base::Status {
      SVM_ASSIGN_OR_RETURN(call->dense, groups.Slots(worker));
      call->strides = groups.strides().data();
      call->origins = dense_->origins.data();
      return base::Status::OK();
    }));
    reads_files_ = run.reads_files();
  }
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_RETURN_NOT_OK(groups.Merge(context_.workers));
  SVM_ASSIGN_OR_RETURN(
      RowSet rows, groups.Emit(grouping_.key_columns, dense_->states.outputs, context_.workers));
  groups.Reset();
  return WithKeepers(std::move(rows), run, std::move(strings));
}

base::Result<bool> PipelineRun::TryGpu(KernelRun* run, LaunchSink* sink) {
  GpuPipeline& report = context_.stats->gpu.emplace_back();
  report.title = blueprint_.title;
  const auto give_up = [&](const std::string& why) -> base::Result<bool> {
    devices().reason = report.why_not = why;
    mode_ = Mode::kCpu;
    if (HasDeviceTables()) return NeedRows(why);
    SVM_RETURN_NOT_OK(run->Prepare());
    device_start_ = std::chrono::steady_clock::now();  // what comes now is the CPU's
    return false;
  };
  if (!why_not_gpu_.empty()) return give_up(why_not_gpu_);
  report.text = gpu_text_;
  const auto program = FindGpuProgram();
  if (!program.ok()) return give_up(program.status().message());
  if (*program == nullptr) return give_up(kStillCompiling);
  SVM_RETURN_NOT_OK(KnowSteps(run));
  device_start_ = std::chrono::steady_clock::now();
  const base::Result<GpuTimes> ran =
      RunOnGpu(context_, context_.gpu, **program, *binding_, &*steps_, sink);
  // The groups are as they were. If it was the query that failed it fails again, here.
  if (!ran.ok()) return give_up(ran.status().message());
  report.times = *ran;
  return true;
}

base::Result<vkernel::ProgramCache::Loaded> PipelineRun::FindGpuProgram() {
  if (auto known = program_.lock()) return known;
  is_full_code_ = context_.gpu->programs().HasFull(*gpu_text_);
  SVM_ASSIGN_OR_RETURN(auto program, FindProgram(context_, blueprint_.title, *gpu_text_));
  if (is_full_code_) program_ = program;
  return program;
}

base::Status PipelineRun::KnowSteps(KernelRun* run) {
  if (steps_.has_value()) return base::Status::OK();
  SVM_ASSIGN_OR_RETURN(MeasuredSteps measured, run->MeasureSteps());
  steps_.emplace().measured = std::move(measured);
  return base::Status::OK();
}

base::Status PipelineRun::RunMixed(KernelRun* run, MixedSink* sink) {
  SVM_RETURN_NOT_OK(run->Prepare());
  SVM_RETURN_NOT_OK(KnowSteps(run));
  MixedPipeline pipeline{run, binding_.get(), sink, &*steps_, {}};
  GpuPipeline& gpu_report = context_.stats->gpu.emplace_back();
  gpu_report.title = blueprint_.title;
  gpu_report.text = gpu_text_;
  is_full_code_ = !context_.wait_for_gpu || context_.gpu->programs().HasFull(*gpu_text_);
  if (context_.wait_for_gpu) {
    pipeline.program = [program = FindProgram(context_, blueprint_.title, *gpu_text_)] {
      return program;
    };
  } else {
    pipeline.program = [this] {
      return context_.gpu->programs().Find(blueprint_.title, *gpu_text_);
    };
  }
  MixedRun mixed(context_, pipeline, {context_.policy, remembered_});
  SVM_RETURN_NOT_OK(mixed.Run());
  gpu_report.why_not = mixed.why_not_gpu();
  gpu_report.times = mixed.gpu_times();
  // Of others, what happens to rows after the kernel is most of what they cost.
  if (grouping_.is_dense()) {
    const schedule::BySide<double> speeds = mixed.rows_per_ms();
    history_->RecordCores(/*in_memory=*/true, speeds[Side::kCpu]);
    if (is_full_code_) history_->RecordGpu(device_share_, speeds[Side::kGpu]);
  }
  PipelineDevices& report = devices();
  report.rows = mixed.rows();
  report.partitions = mixed.num_units();
  report.partitions_again = mixed.units_again();
  if (!mixed.why_not_gpu().empty()) report.reason = mixed.why_not_gpu();
  if (context_.trace) report.trace = mixed.trace();
  return base::Status::OK();
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
  const std::vector<HashKeyColumn> keys = HashKeyColumns();
  auto groups = std::make_shared<HashGroups>(context_.budget, states.accumulators,
                                             blueprint_.sink.key_words, context_.workers.count());
  binding_->set_key_interner(groups->interner());
  KernelRun run(context_, *text_, std::move(kernel_), binding_.get());
  std::optional<HashSink> card;
  if (mode_ != Mode::kCpu) {
    HashSink::Options options{states.accumulators, blueprint_.sink.key_words, keys,
                              groups->interner(), context_.gpu->arena().cap() / 4};
    if (mode_ == Mode::kMixed) options.most_bytes /= schedule::kBatchesHeld;
    card.emplace(context_.budget, std::move(options));
  }
  if (mode_ == Mode::kGpu) {
    SVM_ASSIGN_OR_RETURN(const bool done, TryGpu(&run, &*card));
    if (done) {
      const Span span(&context_.stats->spans, Stage::kMerge);
      const HashSink::Found found = card->TakeFound();
      SVM_ASSIGN_OR_RETURN(RowSet rows, groups->EmitRows(found.words(), keys, states.outputs,
                                                         groups, context_.workers));
      return WithKeepers(std::move(rows), run, card->arena());
    }
  }
  if (mode_ == Mode::kMixed) {
    MixedHash both(groups.get(), &*card, context_.workers.count());
    SVM_RETURN_NOT_OK(RunMixed(&run, &both));
  } else {
    SVM_RETURN_NOT_OK(HashOnCpu(&run, groups.get()));
  }
  const Span span(&context_.stats->spans, Stage::kMerge);
  SVM_RETURN_NOT_OK(groups->Merge(context_.workers));
  SVM_ASSIGN_OR_RETURN(RowSet rows, groups->Emit(keys, states.outputs, groups, context_.workers));
  return WithKeepers(std::move(rows), run, card ? card->arena() : nullptr);
}

base::Status PipelineRun::HashOnCpu(KernelRun* run, HashGroups* groups) {
  const base::Status status = run->Run([&](int worker, kernels::KernelCall* call) {
    call->groups = groups->worker(worker);
    return base::Status::OK();
  });
  for (int i = 0; i < context_.workers.count(); ++i) {
    SVM_RETURN_NOT_OK(groups->worker(i)->status());
  }
  reads_files_ = run->reads_files();
  return status;
}

base::Result<RowSet> PipelineRun::RunSorted() {
  SVM_ASSIGN_OR_RETURN(RowSet rows, RunCollect(INT64_MAX));
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
