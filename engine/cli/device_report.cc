// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/device_report.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace shadowvm::cli {
namespace {

std::string Milliseconds(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f ms", value);
  return text;
}

}  // namespace

std::vector<PlacedPipeline> PipelinesOf(const exec::QueryStats& stats) {
  std::vector<PlacedPipeline> pipelines;
  for (const exec::PipelineDevices& one : stats.devices) {
    pipelines.push_back({one.title, one.mode, one.reason, one.predicted_ms, one.real_ms,
                         one.rows[schedule::Side::kCpu], one.rows[schedule::Side::kGpu],
                         one.partitions, one.partitions_again});
  }
  return pipelines;
}

nlohmann::ordered_json ToJson(const PlacedPipeline& pipeline) {
  nlohmann::ordered_json json = {{"title", pipeline.title},
                                 {"mode", schedule::NameOf(pipeline.mode)},
                                 {"rows_on_cpu", pipeline.cpu_rows},
                                 {"rows_on_gpu", pipeline.gpu_rows},
                                 {"real_ms", pipeline.real_ms}};
  if (pipeline.predicted_ms > 0) json["predicted_ms"] = pipeline.predicted_ms;
  if (!pipeline.reason.empty()) json["reason"] = pipeline.reason;
  return json;
}

std::string ToText(const PlacedPipeline& pipeline) {
  std::string text = pipeline.title + ": " + std::string(schedule::NameOf(pipeline.mode)) + ", " +
                     Milliseconds(pipeline.real_ms);
  if (pipeline.predicted_ms > 0) text += ", predicted " + Milliseconds(pipeline.predicted_ms);
  // What follows is a compiler's log.
  const std::string reason = pipeline.reason.substr(0, pipeline.reason.find('\n'));
  return reason.empty() ? text : text + ", " + reason;
}

exec::GpuTimes GpuTimesOf(const exec::QueryStats& stats) {
  exec::GpuTimes sum;
  for (const exec::GpuPipeline& pipeline : stats.gpu) sum.Add(pipeline.times);
  return sum;
}

std::string WhyNotGpu(const exec::QueryStats& stats, schedule::Mode mode, exec::GpuKeeper* keeper) {
  if (!stats.gpu.empty()) {
    const exec::GpuPipeline& last = stats.gpu.back();
    return last.why_not.empty() ? "" : last.title + ": " + last.why_not;
  }
  const bool has_kernels = !stats.kernels.empty() || !stats.devices.empty();
  return has_kernels ? WhyNoGpu(mode, keeper) : "";
}

std::string WhyNoGpu(schedule::Mode mode, exec::GpuKeeper* keeper) {
  if (mode == schedule::Mode::kCpu) return "";
  const exec::GpuKeeper::State state = keeper->state();
  return state.gpu != nullptr ? "" : "there was no GPU: " + state.down;
}

void GpuMisses::Add(const std::string& why_not) {
  ++runs;
  if (why_not.empty()) return;
  ++missed;
  why = why_not;
}

void GpuMisses::Add(const GpuMisses& others) {
  runs += others.runs;
  missed += others.missed;
  if (!others.why.empty()) why = others.why;
}

std::string GpuMisses::ToText() const {
  return "in " + std::to_string(missed) + " of " + std::to_string(runs) +
         " runs: " + why.substr(0, why.find('\n'));
}

void AddMisses(const GpuMisses& misses, nlohmann::ordered_json* json) {
  if (misses.missed == 0) return;
  (*json)["gpu_why_not"] = misses.why;
  (*json)["runs_not_on_gpu"] = misses.missed;
}

}  // namespace shadowvm::cli
