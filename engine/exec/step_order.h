// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <vector>

#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::exec {

// What is known of one reorderable step.
struct StepEstimate {
  double selectivity = 0.5;  // of the rows it sees, how many it keeps
  double cost = 1.0;         // nanoseconds a row, roughly
  bool optional = false;     // may be left out: another step, or the sink, does the same exactly
  bool redundant = false;    // keeps every row, proven
  double run = 1.0;          // neighbouring rows with the same value of its column, on average
};

// The order in which steps run, and what was found out about each step of the blueprint.
struct MeasuredSteps {
  std::vector<uint8_t> order;
  std::vector<StepEstimate> estimates;
};

// The order that drops rows soonest for the least work: ascending cost / (1 - selectivity), as far
// as 'after' allows. Steps that keep all rows, and optional ones that drop little, are left out.
std::vector<uint8_t> OrderSteps(const std::vector<vkernel::Step>& steps,
                                const std::vector<StepEstimate>& estimates);

}  // namespace shadowvm::exec
