// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/exec/kernel_binding.h"
#include "engine/exec/step_order.h"

namespace shadowvm::exec {

// What can be said of the reorderable steps before a row is seen: from zones, build sides and
// dictionaries.
std::vector<StepEstimate> EstimateSteps(const PipelineBinding& binding);

}  // namespace shadowvm::exec
