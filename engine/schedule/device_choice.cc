// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/device_choice.h"

#include <algorithm>

namespace shadowvm::schedule {
namespace {

// Both at once must promise this much less than the better one alone: predictions are rough.
constexpr double kClearly = 0.9;

double OfRows(int64_t rows, double rows_per_ms) {
  return rows_per_ms > 0 ? static_cast<double>(rows) / rows_per_ms : 0;
}

double CoreMs(const PipelineFacts& facts, const MachineModel& model) {
  if (facts.remembered[Side::kCpu] > 0) return OfRows(facts.rows, facts.remembered[Side::kCpu]);
  return static_cast<double>(facts.bytes) / model.core_bytes_per_ms;
}

double CardMs(const PipelineFacts& facts, const MachineModel& model) {
  if (facts.remembered[Side::kGpu] > 0) return OfRows(facts.rows, facts.remembered[Side::kGpu]);
  const auto bytes = static_cast<double>(facts.bytes);
  return bytes * facts.device_share / model.device_bytes_per_ms +
         bytes * (1 - facts.device_share) / model.link_bytes_per_ms;
}

}  // namespace

double DeviceChoice::predicted(Mode of) const {
  if (of == Mode::kMixed) return predicted_mixed_ms;
  return predicted_ms[of == Mode::kGpu ? Side::kGpu : Side::kCpu];
}

DeviceChoice OnCpu(DeviceChoice choice, std::string reason) {
  choice.mode = Mode::kCpu;
  choice.reason = std::move(reason);
  return choice;
}

DeviceChoice Predict(const PipelineFacts& facts, const MachineModel& model) {
  DeviceChoice choice;
  const double cpu = choice.predicted_ms[Side::kCpu] = CoreMs(facts, model) / facts.cores;
  if (!facts.why_not_gpu.empty() || !facts.in_memory) return choice;
  const double card = CardMs(facts, model);
  choice.predicted_ms[Side::kGpu] = card + model.gpu_start_ms;
  choice.predicted_mixed_ms =
      1 / (1 / std::max(cpu, 1e-9) + 1 / std::max(card, 1e-9)) + model.mixed_start_ms;
  return choice;
}

DeviceChoice ChooseDevice(const PipelineFacts& facts, const MachineModel& model) {
  DeviceChoice choice = Predict(facts, model);
  if (!facts.why_not_gpu.empty()) return OnCpu(choice, facts.why_not_gpu);
  if (!facts.in_memory) return OnCpu(choice, "its rows are read from files");
  const double cpu = choice.predicted_ms[Side::kCpu];
  const double gpu = choice.predicted_ms[Side::kGpu];
  const double both = choice.predicted_mixed_ms;
  if (facts.only_scans) return OnCpu(choice, "a scan alone has nothing to win on the GPU");
  if (cpu <= model.gpu_start_ms) return OnCpu(choice, "too few rows to be worth a launch");
  const bool resident = facts.device_share >= kResidentShare;
  if (!resident && both < kClearly * std::min(cpu, gpu)) {
    choice.mode = Mode::kMixed;
    choice.reason = "both at once are predicted to be fastest";
    return choice;
  }
  if (cpu <= gpu) return OnCpu(choice, "the CPU is predicted to be faster");
  choice.mode = Mode::kGpu;
  choice.reason =
      resident ? "its rows are in the GPU's memory" : "the GPU is predicted to be faster";
  return choice;
}

}  // namespace shadowvm::schedule
