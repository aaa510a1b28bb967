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
// wide step costs the same however few rows are left, a column is read by sectors, and a probe
// is cheap there where its bitmap is in shared memory: 'resident' says by join where it would be.
// 'over_link' says that columns are read in place from the host's memory, where bytes are all that
// counts.
GpuSteps OrderForGpu(const vkernel::Blueprint& blueprint, const MeasuredSteps& steps,
                     const std::vector<bool>& resident, bool over_link = false);

// Which share of its bytes each of the pipeline's columns is read of, roughly: survivors are taken
// to be spread evenly.
std::vector<double> TouchedShares(const vkernel::Blueprint& blueprint,
                                  const MeasuredSteps& measured, const GpuSteps& steps);

// By column whether wide tiles read it and survivors' rows are read of it again.
std::vector<bool> ReadAgain(const vkernel::Blueprint& blueprint, const GpuSteps& steps);

}  // namespace shadowvm::exec
