// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/base/status.h"
#include "engine/plan/plan_builder.h"

namespace shadowvm::plan {

// One action with its inputs as places in the order.
struct OrderedAction {
  const v1::Action* action = nullptr;
  std::vector<int> inputs;
};

// The actions of a command, every one after its inputs, the root last. kBadCommand for ids that are
// missing or double, cycles, a wrong number of inputs, actions the root does not need, sinks before
// the root.
base::Result<std::vector<OrderedAction>> OrderActions(const v1::Command& command,
                                                      const PlanLimits& limits);

// "action 3 (filter)".
std::string PlaceOf(const v1::Action& action);

}  // namespace shadowvm::plan
