// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <ucontext.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/status.h"
#include "engine/kernels/common/emulated_lane.h"

namespace shadowvm::device {

// The threads of one block of an emulated GPU: fibers that run, in turns and on the calling thread,
// until they wait for their warp or for their block.
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
    std::unique_ptr<char[]> stack;
    enum class State : uint8_t { kReady, kInWarp, kInBlock, kDone } state = State::kReady;
  };
  struct Warp {
    std::vector<kernels::u64> coming, taken;  // a value of each lane
    uint32_t waiting = 0;
  };

  static void Start(uint32_t high, uint32_t low);
  static const kernels::u64* Exchange(kernels::EmulatedLane* lane, kernels::u64 value);
  static void BlockSync(kernels::EmulatedLane* lane);
  void Wait(Fiber* fiber, Fiber::State state);
  void RunAll();
  bool RunReady();

  std::vector<Fiber> fibers_;
  std::vector<Warp> warps_;
  uint32_t in_block_ = 0;
  ucontext_t scheduler_ = {};
};

}  // namespace shadowvm::device
