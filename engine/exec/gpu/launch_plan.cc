// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_plan.h"

#include <algorithm>

namespace shadowvm::exec {
namespace {

// Groups take no more than this share of shared memory: many groups are seldom hot, and bitmaps are
// asked more often.
constexpr int64_t kDenseShare = 4;
constexpr int64_t kAlignment = 16;
constexpr int kWarpThreads = 32;

int64_t RoundUp(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// Hands out shared memory from its start on.
class SharedMemory {
 public:
  SharedMemory(int64_t used, int64_t size) : used_(RoundUp(used)), size_(size) {}

  int64_t left() const { return size_ - used_; }
  kernels::u32 Take(int64_t bytes) {
    const int64_t at = used_;
    used_ += RoundUp(bytes);
    return static_cast<kernels::u32>(at);
  }
  int64_t used() const { return used_; }

 private:
  int64_t used_;
  int64_t size_;
};

// The tables that steps probe by address, in the order of the steps.
std::vector<int> ProbedDirects(const vkernel::Blueprint& blueprint, const MeasuredSteps& steps) {
  std::vector<int> joins;
  for (const uint8_t number : steps.order) {
    const vkernel::Step& step = blueprint.levels[0].steps[number];
    if (step.kind == vkernel::StepKind::kProbe &&
        blueprint.joins[step.join].form != vkernel::JoinForm::kHash) {
      joins.push_back(step.join);
    }
  }
  return joins;
}

}  // namespace

LaunchPlan PlanLaunch(const device::AcceleratorFacts& facts, const LaunchInputs& inputs,
                      int64_t block_bytes) {
  const PipelineBinding& binding = inputs.binding;
  LaunchPlan plan;
  // Few rows are spread over all processors.
  const int most_warps = std::min(facts.max_block_threads, 1024) / kWarpThreads;
  const int64_t tiles = inputs.num_rows / kernels::kWideTileRows + 1;
  const int warps_of_block =
      static_cast<int>(std::clamp<int64_t>(tiles / facts.num_processors + 1, 1, most_warps));
  plan.shape.block_threads = warps_of_block * kWarpThreads;

  SharedMemory shared(block_bytes, facts.shared_bytes);
  plan.queue_at = shared.Take(int64_t{warps_of_block} * kernels::kQueueRows * 4);
  // Counts in shared memory are of 32 bits: no block sees more rows, but it may see more pairs.
  const bool pairs = binding.blueprint().levels.size() > 1;
  const int64_t dense_bytes = pairs ? 0 : inputs.sink.shared_bytes();
  if (dense_bytes > 0 && dense_bytes <= shared.left() &&
      dense_bytes <= facts.shared_bytes / kDenseShare) {
    plan.dense_at = shared.Take(dense_bytes);
  }
  std::vector<bool> resident(binding.joins().size());
  for (const int join : ProbedDirects(binding.blueprint(), inputs.steps)) {
    const auto keys = static_cast<int64_t>(binding.joins()[join].table->direct().size);
    const int64_t bytes = RoundUp(keys / 8 + 1);
    if (bytes > shared.left()) continue;
    const auto slot = static_cast<kernels::u32>(binding.blueprint().joins[join].slot);
    plan.residents.push_back({slot, shared.Take(bytes), static_cast<kernels::u32>(bytes)});
    resident[static_cast<size_t>(join)] = true;
  }
  plan.steps = OrderForGpu(binding.blueprint(), inputs.steps, resident, inputs.over_link);
  plan.shape.shared_bytes = shared.used();
  return plan;
}

int64_t NumTiles(std::span<const kernels::SegmentRows> rows) {
  int64_t tiles = 0;
  for (const kernels::SegmentRows& segment : rows) {
    tiles += (segment.row_end - segment.row_begin) / kernels::kWideTileRows + 1;
  }
  return tiles;
}

int NumBlocks(const device::AcceleratorFacts& facts, const LaunchPlan& plan, int64_t num_tiles) {
  // A warp takes a tile at a time.
  const int warps_of_block = plan.shape.block_threads / kWarpThreads;
  return static_cast<int>(
      std::clamp<int64_t>(num_tiles / warps_of_block + 1, 1, facts.num_processors));
}

}  // namespace shadowvm::exec
