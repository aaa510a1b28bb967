// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/exec/gpu/gpu.h"
#include "engine/exec/gpu/launch_writer.h"
#include "engine/exec/kernel_binding.h"

namespace shadowvm::exec {

// Behind a copy of a table's buffer: kernels bring bitmaps into shared memory by so many bytes at a
// time.
inline constexpr int64_t kTableReadAhead = 16;

// What a pipeline's joins look into, in the device's memory.
struct LaunchTables {
  PlacedData placed;
  std::vector<DeviceCopies::CopyPtr> copies;  // to be held while launches run
  int64_t link_bytes = 0;
};

// Brings large buffers of join tables and of their rows to the device. Those that later queries can
// use too stay there among the copies of segments; small ones, and what there is no room for, are
// left to be written with the launch.
base::Result<LaunchTables> PlaceTables(Gpu* gpu, const PipelineBinding& binding,
                                       device::Stream* stream);

}  // namespace shadowvm::exec
