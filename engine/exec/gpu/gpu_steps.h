// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <vector>

#include "engine/exec/step_order.h"
#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::exec {

// The order of a launch's steps, and how many of them run on wide tiles.
struct GpuSteps {
  std::vector<uint8_t> order;
  int wide = 0;
};

// The cheapest order of the measured steps for a GPU. What counts there is other than on a core: a
// wide step costs the same however few rows are left, a column is read by sectors, and a probe can
// be wide only where its bitmap is in shared memory: 'resident' says so by join.
GpuSteps OrderForGpu(const vkernel::Blueprint& blueprint, const MeasuredSteps& steps,
                     const std::vector<bool>& resident);

}  // namespace shadowvm::exec
