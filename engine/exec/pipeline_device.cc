// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <chrono>

#include "engine/base/elapsed.h"
#include "engine/exec/gpu/build_choice.h"
#include "engine/exec/gpu/gpu_run.h"
#include "engine/exec/mixed_run.h"
#include "engine/exec/pipeline_facts.h"
#include "engine/exec/pipeline_run.h"
#include "engine/vkernel/render/kernel_renderer.h"

// The part of a PipelineRun that says where it runs, and what is known of it there.
namespace shadowvm::exec {
namespace {

using schedule::Mode;
using schedule::Side;

// Measured: what both find of many groups takes longer to merge than the better one to find alone.
constexpr char kOneMergesSooner[] = "one alone is sooner done with groups by hash, or rows";

// A kernel cannot be stopped, so it must end on its own before it seems to hang, whatever matches.
constexpr double kMostPairs = 1e13;

}  // namespace

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

}  // namespace shadowvm::exec
