// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/launch_plan.h"

#include <algorithm>
#include <bit>

namespace shadowvm::exec {
namespace {

// Groups take no more than this share of shared memory: many groups are seldom hot, and bitmaps are
// asked more often.
constexpr int64_t kDenseShare = 4;
constexpr int64_t kAlignment = 16;
// A tile is shared by as many warps as a lane has rows, at most: rows that survive wait for one
// another less. Where it is read over the link, no two of them read the same group of rows.
constexpr int kMostWarpsOfTile = kernels::kLaneRows;
constexpr int kMostWarpsOfTileOverLink = kernels::kLaneGroups;
// Warps that even a small part of a launch gets, if it has rows for them.
constexpr int64_t kLeastWarps = 256;

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

// The bitmap of a join in shared memory.
struct Bitmap {
  int join;
  int64_t bytes;
};

// Those of joins, that steps probe by address, in the order of the steps, as far as there is room.
std::vector<Bitmap> FittingBitmaps(const LaunchNeeds& needs, const std::vector<bool>& of,
                                   int64_t room) {
  std::vector<Bitmap> fitting;
  for (const uint8_t number : needs.steps.order) {
    const vkernel::Step& step = needs.blueprint.levels[0].steps[number];
    if (step.kind != vkernel::StepKind::kProbe || !of[static_cast<size_t>(step.join)] ||
        needs.blueprint.joins[step.join].form == vkernel::JoinForm::kHash) {
      continue;
    }
    const int64_t bytes = RoundUp(needs.join_spans[step.join] / 8 + 1);
    if (bytes > room) continue;
    room -= bytes;
    fitting.push_back({step.join, bytes});
  }
  return fitting;
}

// Whether wide tiles ask for the join's keys.
bool IsProbedWide(const vkernel::Blueprint& blueprint, const GpuSteps& steps, int join) {
  return std::any_of(steps.order.begin(), steps.order.begin() + steps.wide, [&](uint8_t number) {
    const vkernel::Step& step = blueprint.levels[0].steps[number];
    return step.kind == vkernel::StepKind::kProbe && step.join == join;
  });
}

// The steps, and bitmaps for them. After wide tiles few rows are left to ask a table: what its
// bitmap would take of shared memory goes to another one, or is cache.
std::vector<Bitmap> ChooseBitmaps(const LaunchNeeds& needs, int64_t room, GpuSteps* steps) {
  const vkernel::Blueprint& blueprint = needs.blueprint;
  std::vector<bool> wanted(blueprint.joins.size(), true);
  for (;;) {
    const std::vector<Bitmap> fitting = FittingBitmaps(needs, wanted, room);
    std::vector<bool> resident(blueprint.joins.size());
    for (const Bitmap& bitmap : fitting) resident[static_cast<size_t>(bitmap.join)] = true;
    *steps = OrderForGpu(blueprint, needs.steps, resident, needs.rows.over_link);
    if (steps->wide == 0) return fitting;
    bool all_wide = true;
    for (const Bitmap& bitmap : fitting) {
      if (IsProbedWide(blueprint, *steps, bitmap.join)) continue;
      wanted[static_cast<size_t>(bitmap.join)] = all_wide = false;
    }
    if (all_wide) return fitting;
  }
}

int64_t TilesOf(int64_t num_rows) { return num_rows / kernels::kWideTileRows + 1; }

int MostWarps(const device::AcceleratorFacts& facts) {
  return std::min(facts.max_block_threads, 1024) / kWarpThreads;
}

// Few rows are spread over all processors. All parts of a launch have the same blocks.
int WarpsOfBlock(const device::AcceleratorFacts& facts, const LaunchExtent& rows) {
  const int64_t shares = TilesOf(rows.count + rows.beside) * kMostWarpsOfTile;
  return static_cast<int>(
      std::clamp<int64_t>(shares / facts.num_processors + 1, 1, MostWarps(facts)));
}

// So that warps of all processors have something to do, by the part's share of the launch's rows.
int SplitShift(const device::AcceleratorFacts& facts, const LaunchExtent& rows) {
  const int64_t tiles = TilesOf(rows.count);
  const int64_t all_warps = int64_t{facts.num_processors} * MostWarps(facts);
  const int64_t warps = all_warps * tiles / TilesOf(rows.count + rows.beside);
  const int64_t most = rows.over_link ? kMostWarpsOfTileOverLink : kMostWarpsOfTile;
  // Where warps have a tile or two, some have one more than others. The next launch begins on the
  // processors that are done and takes its part of the link, so that both would end together.
  if (rows.in_batches) return std::bit_width(unsigned{kMostWarpsOfTileOverLink}) - 1;
  const auto split = static_cast<uint64_t>(
      std::clamp<int64_t>(std::max(warps, std::min(kLeastWarps, all_warps)) / tiles, 1, most));
  return std::bit_width(split) - 1;
}

}  // namespace

LaunchPlan PlanLaunch(const device::AcceleratorFacts& facts, const LaunchNeeds& needs) {
  LaunchPlan plan;
  const int warps_of_block = WarpsOfBlock(facts, needs.rows);
  plan.shape.block_threads = warps_of_block * kWarpThreads;
  plan.split_shift = SplitShift(facts, needs.rows);

  SharedMemory shared(needs.block_bytes, facts.shared_bytes);
  plan.queue_at = shared.Take(int64_t{warps_of_block} * kernels::kQueueRows * 4);
  // Counts in shared memory are of 32 bits: no block sees more rows, but it may see more pairs.
  const bool pairs = needs.blueprint.levels.size() > 1;
  if (!pairs && needs.group_bytes > 0 && needs.group_bytes <= shared.left() &&
      needs.group_bytes <= facts.shared_bytes / kDenseShare) {
    plan.dense_at = shared.Take(needs.group_bytes);
  }
  for (const auto& [join, bytes] : ChooseBitmaps(needs, shared.left(), &plan.steps)) {
    const auto slot = static_cast<kernels::u32>(needs.blueprint.joins[join].slot);
    plan.residents.push_back({slot, shared.Take(bytes), static_cast<kernels::u32>(bytes)});
  }
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
  // A warp takes a tile, or its share of one, at a time.
  const int warps_of_block = plan.shape.block_threads / kWarpThreads;
  return static_cast<int>(std::clamp<int64_t>((num_tiles << plan.split_shift) / warps_of_block + 1,
                                              1, facts.num_processors));
}

}  // namespace shadowvm::exec
