// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/status.h"
#include "engine/kernels/common/emulated_lane.h"

namespace shadowvm::device {

// The threads of one block of an emulated GPU: fibers that run, in turns and on the calling thread,
// until they wait for lanes of their warp or for their block. Which lanes of a warp are together
// somewhere is the same in every run: those that come there before they wait for others elsewhere.
class FiberBlock {
 public:
  using Entry = void (*)(void* lane);

  // Threads of later blocks use the same stacks. block_threads is a multiple of a warp's lanes.
  explicit FiberBlock(uint32_t block_threads);

  // Runs every thread of a block to its end. 'common' says what all of them know; shared memory is
  // filled with a pattern before. kInternal when threads wait for one another for ever.
  base::Status Run(Entry entry, const kernels::EmulatedLane& common);

 private:
  struct Fiber : kernels::EmulatedLane {
    FiberBlock* owner = nullptr;
    Entry entry = nullptr;
    ucontext_t context = {};
    std::unique_ptr<char[]> fiber_stack;
    enum class State : uint8_t { kReady, kInWarp, kInBlock, kGathering, kDone };
    State state = State::kReady;
    const void* place = nullptr;  // where it gathers
    uint32_t gathered = 0;
  };
  // By lane.
  struct Warp {
    std::array<uint32_t, kernels::kWarpLanes> waits_for;  // lanes, as bits; 0: it does not wait
    std::array<kernels::u64, kernels::kWarpLanes> brings;
  };

  static void Start(uint32_t high, uint32_t low);
  static const kernels::u64* Exchange(kernels::EmulatedLane* lane, uint32_t lanes,
                                      kernels::u64 value);
  static uint32_t Gather(kernels::EmulatedLane* lane);
  static void BlockSync(kernels::EmulatedLane* lane);
  void Wait(Fiber* fiber, Fiber::State state);
  void RunAll();
  bool RunReady();
  bool LetGatheredGo();
  static bool LetGatheredGo(std::span<Fiber> warp);

  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  uint32_t in_block_ = 0;
  ucontext_t scheduler_ = {};
};

}  // namespace shadowvm::device
