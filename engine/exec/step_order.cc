// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/step_order.h"

#include <algorithm>

namespace shadowvm::exec {
namespace {

// An optional step must drop at least this share of the rows it sees to be worth its pass.
constexpr double kWorthwhile = 0.1;

bool LeftOut(const StepEstimate& estimate) {
  return estimate.redundant || (estimate.optional && 1 - estimate.selectivity < kWorthwhile);
}

double Rank(const StepEstimate& estimate) {
  return estimate.cost / std::max(1e-6, 1 - estimate.selectivity);
}

}  // namespace

std::vector<uint8_t> OrderSteps(const std::vector<vkernel::Step>& steps,
                                const std::vector<StepEstimate>& estimates) {
  // A step that another one waits for stays, whatever it drops.
  uint64_t awaited = 0;
  for (const vkernel::Step& step : steps) awaited |= step.after;
  std::vector<uint8_t> left;
  uint64_t done = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    const uint64_t bit = uint64_t{1} << i;
    if (LeftOut(estimates[i]) && (awaited & bit) == 0) {
      done |= bit;
    } else {
      left.push_back(static_cast<uint8_t>(i));
    }
  }
  std::stable_sort(left.begin(), left.end(),
                   [&](uint8_t a, uint8_t b) { return Rank(estimates[a]) < Rank(estimates[b]); });
  std::vector<uint8_t> order;
  while (!left.empty()) {
    const auto ready = std::find_if(left.begin(), left.end(),
                                    [&](uint8_t i) { return (steps[i].after & ~done) == 0; });
    // 'after' only names earlier steps, so one is always ready.
    done |= uint64_t{1} << *ready;
    order.push_back(*ready);
    left.erase(ready);
  }
  return order;
}

}  // namespace shadowvm::exec
