// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/exec/state/accumulator.h"
#include "engine/plan/action_node.h"
#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::exec {

// An aggregate's accumulators as its kernel keeps them, and how its answer is made of them.
struct AggregateStates {
  std::vector<Accumulator> accumulators;  // the first counts rows
  std::vector<AggregateOutput> outputs;   // one per aggregate call
};

AggregateStates MakeAggregateStates(const plan::AggregateNode& node, const vkernel::Sink& sink);

}  // namespace shadowvm::exec
