// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/device/accelerator.h"
#include "engine/exec/gpu/gpu_steps.h"
#include "engine/exec/gpu/launch_call.h"
#include "engine/exec/gpu/placed_scans.h"
#include "engine/kernels/common/launch.h"

namespace shadowvm::exec {

inline constexpr int kWarpThreads = 32;

// How launches use a block's shared memory, and blocks of how many threads there are.
struct LaunchPlan {
  device::LaunchShape shape{.block_threads = 0};  // none until it is made
  int split_shift = 0;                            // 1 << split_shift warps share a tile
  kernels::u32 queue_at = 0;
  kernels::u32 dense_at = 0;  // 0: groups stay in the device's memory
  std::vector<kernels::ResidentBits> residents;
  GpuSteps steps;

  bool is_made() const { return shape.block_threads > 0; }
};

// What a plan is made for.
struct LaunchNeeds {
  const vkernel::Blueprint& blueprint;
  const MeasuredSteps& steps;
  LaunchExtent rows;
  int64_t block_bytes = 0;          // of the launch's block, at the start of shared memory
  int64_t group_bytes = 0;          // that are better off in shared memory; 0: none
  std::vector<int64_t> join_spans;  // by join: the keys that a table by address has a bit for
};

// Groups go first, then bitmaps that wide tiles ask, in the order in which they are probed, as far
// as there is room.
LaunchPlan PlanLaunch(const device::AcceleratorFacts& facts, const LaunchNeeds& needs);

struct ScanLaunch;

// What earlier runs of a pipeline have found out for the next one.
struct KnownSteps {
  MeasuredSteps measured;
  std::optional<ScanKey> scan_key;           // of what it reads
  std::shared_ptr<const ScanLaunch> launch;  // the last one over a scan, if it can come again
  // The last plan, and what it depends on beside the pipeline and the device.
  LaunchPlan plan;
  LaunchExtent plan_rows;

  // The plan if it is for the same; else one that is not made.
  LaunchPlan PlanFor(const LaunchExtent& rows) const {
    return rows == plan_rows ? plan : LaunchPlan{};
  }
};

// About how many wide tiles hold rows of these.
int64_t NumTiles(std::span<const kernels::SegmentRows> rows);

// How many blocks find something to do.
int NumBlocks(const device::AcceleratorFacts& facts, const LaunchPlan& plan, int64_t num_tiles);

}  // namespace shadowvm::exec
