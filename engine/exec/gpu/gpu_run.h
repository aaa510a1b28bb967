// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/exec/gpu/gpu.h"
#include "engine/exec/gpu/launch_call.h"
#include "engine/exec/query_context.h"

namespace shadowvm::exec {

// Runs a pipeline's kernel over all segments of its source on a GPU, in one launch: brings what is
// missing into the device's memory, runs, and replaces the sink's groups by what they have become.
// The sink is as it was when this fails. Else: how long the kernel ran, in milliseconds. Fault
// point exec.gpu.run.
base::Result<double> RunOnGpu(const QueryContext& context, Gpu* gpu, const device::Program& program,
                              const PipelineBinding& binding, const MeasuredSteps& steps,
                              const DenseSink& sink);

}  // namespace shadowvm::exec
