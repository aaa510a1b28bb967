// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/fill_choice.h"

namespace shadowvm::schedule {
namespace {

constexpr double kMsOfNs = 1e-6;

double CoresMs(const FillFacts& facts, const FillModel& model) {
  const auto rows = static_cast<double>(facts.rows);
  if (facts.remembered[Side::kCpu] > 0) {
    return rows / (facts.remembered[Side::kCpu] * facts.cores);
  }
  return kMsOfNs * rows * (model.core_row_ns / facts.cores + model.core_scan_ns);
}

double CardMs(const FillFacts& facts, const FillModel& model) {
  const auto rows = static_cast<double>(facts.rows);
  if (facts.remembered[Side::kGpu] > 0) return rows / facts.remembered[Side::kGpu];
  return model.start_ms + static_cast<double>(facts.link_bytes) / model.link_bytes_per_ms +
         kMsOfNs * rows * model.card_row_ns;
}

}  // namespace

DeviceChoice ChooseFill(const FillFacts& facts, const FillModel& model) {
  DeviceChoice choice;
  const double cpu = choice.predicted_ms[Side::kCpu] = CoresMs(facts, model);
  if (!facts.why_not_gpu.empty()) return OnCpu(choice, facts.why_not_gpu);
  const double gpu = choice.predicted_ms[Side::kGpu] = CardMs(facts, model);
  if (cpu <= gpu) return OnCpu(choice, "the CPU is predicted to enter them faster");
  choice.mode = Mode::kGpu;
  choice.reason = "the GPU is predicted to enter them faster";
  return choice;
}

}  // namespace shadowvm::schedule
