// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/sort_choice.h"

#include <algorithm>
#include <cmath>

namespace shadowvm::schedule {
namespace {

constexpr double kMsOfNs = 1e-6;
constexpr int kDigitBits = 8;

int Digits(const SortFacts& facts) { return (facts.key_bits + kDigitBits - 1) / kDigitBits; }

// That sorting so many rows halves them.
double Levels(double rows) { return std::log2(std::max(rows, 2.0)); }

double CoresMs(const SortFacts& facts, const SortModel& model) {
  const auto rows = static_cast<double>(facts.rows);
  const auto wanted = static_cast<double>(facts.wanted);
  if (facts.wanted < facts.rows) {
    return kMsOfNs * (rows * model.core_select_ns / facts.cores +
                      wanted * Levels(wanted) * model.core_compare_ns);
  }
  if (facts.remembered[Side::kCpu] > 0) {
    return rows / (facts.remembered[Side::kCpu] * facts.cores);
  }
  const double merge_ns = facts.cores > 1 ? model.core_merge_ns : 0;
  const double run_ns = model.core_key_ns + Digits(facts) * model.core_digit_ns;
  return kMsOfNs * rows * (run_ns / facts.cores + merge_ns);
}

double CardMs(const SortFacts& facts, const SortModel& model) {
  const auto rows = static_cast<double>(facts.rows);
  if (facts.remembered[Side::kGpu] > 0) return rows / facts.remembered[Side::kGpu];
  return model.start_ms + rows * model.host_ns * kMsOfNs +
         rows * model.link_bytes / model.link_bytes_per_ms +
         Digits(facts) * (model.pass_ms + rows * model.pass_bytes / model.device_bytes_per_ms);
}

}  // namespace

DeviceChoice ChooseSort(const SortFacts& facts, const SortModel& model) {
  DeviceChoice choice;
  const double cpu = choice.predicted_ms[Side::kCpu] = CoresMs(facts, model);
  if (!facts.why_not_gpu.empty()) return OnCpu(choice, facts.why_not_gpu);
  const double gpu = choice.predicted_ms[Side::kGpu] = CardMs(facts, model);
  if (cpu <= gpu) return OnCpu(choice, "the CPU is predicted to sort them faster");
  choice.mode = Mode::kGpu;
  choice.reason = "the GPU is predicted to sort them faster";
  return choice;
}

}  // namespace shadowvm::schedule
