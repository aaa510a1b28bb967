// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/emulated/fiber_block.h"

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>

namespace shadowvm::device {
namespace {

using kernels::EmulatedLane;
using kernels::kWarpLanes;
using kernels::u64;

constexpr size_t kStackBytes = 64 << 10;
// What nobody has written yet is not zero.
constexpr int kUnwritten = 0xa5;

// Calls visit(lane) of the lanes that are set.
template <typename Visit>
void ForEach(uint32_t lanes, const Visit& visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<uint32_t>(std::countr_zero(lanes)));
}

}  // namespace

FiberBlock::FiberBlock(uint32_t block_threads)
    : fibers_(block_threads), warps_(block_threads / kWarpLanes) {
  for (Fiber& fiber : fibers_) {
    fiber.owner = this;
    fiber.fiber_stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  }
}

base::Status FiberBlock::Run(Entry entry, const EmulatedLane& common) {
  std::memset(common.shared, kUnwritten, common.shared_bytes);
  in_block_ = 0;
  for (Warp& warp : warps_) warp.waits_for.fill(0);
  uint32_t thread = 0;
  for (Fiber& fiber : fibers_) {
    static_cast<EmulatedLane&>(fiber) = common;
    fiber.thread = thread++;
    fiber.stack = reinterpret_cast<const uint8_t*>(fiber.fiber_stack.get());
    fiber.stack_bytes = kStackBytes;
    fiber.exchange = &Exchange;
    fiber.gather = &Gather;
    fiber.block_sync = &BlockSync;
    fiber.entry = entry;
    fiber.state = Fiber::State::kReady;
    ::getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.fiber_stack.get();
    fiber.context.uc_stack.ss_size = kStackBytes;
    fiber.context.uc_link = &scheduler_;
    const auto address = reinterpret_cast<uintptr_t>(&fiber);
    ::makecontext(&fiber.context, reinterpret_cast<void (*)()>(&Start), 2,
                  static_cast<uint32_t>(address >> 32), static_cast<uint32_t>(address));
  }
  RunAll();
  for (const Fiber& fiber : fibers_) {
    if (fiber.state != Fiber::State::kDone) {
      return base::MakeError(base::ErrorCode::kInternal, "emulated GPU: thread " +
                                                             std::to_string(fiber.thread) +
                                                             " waits for threads that never come");
    }
  }
  return base::Status::OK();
}

// The thread sanitizer follows a thread's calls and returns, and a fiber that waits leaves calls
// open. So it is told of a thread beside the caller's for all of them: they take turns anyway, and
// one for each would cost a launch of 256 threads 0.1 s.
void FiberBlock::RunAll() {
#ifdef __SANITIZE_THREAD__
  void* const caller = __tsan_get_current_fiber();
  void* const fibers = __tsan_create_fiber(0);
  __tsan_switch_to_fiber(fibers, 0);
#endif
  while (RunReady() || LetGatheredGo()) {
  }
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(caller, 0);
  __tsan_destroy_fiber(fibers);
#endif
}

// One turn of every fiber that can go on; false when there was none.
bool FiberBlock::RunReady() {
  bool any = false;
  for (Fiber& fiber : fibers_) {
    if (fiber.state != Fiber::State::kReady) continue;
    any = true;
    ::swapcontext(&scheduler_, &fiber.context);
  }
  return any;
}

void FiberBlock::Start(uint32_t high, uint32_t low) {
  auto* fiber = reinterpret_cast<Fiber*>(uintptr_t{high} << 32 | low);
  fiber->entry(static_cast<EmulatedLane*>(fiber));
  fiber->state = Fiber::State::kDone;
}

void FiberBlock::Wait(Fiber* fiber, Fiber::State state) {
  fiber->state = state;
  ::swapcontext(&fiber->context, &scheduler_);
}

// Once nobody can go on, lanes that wait at one place are together there; false when there are
// none.
bool FiberBlock::LetGatheredGo() {
  bool any = false;
  for (size_t first = 0; first < fibers_.size(); first += kWarpLanes) {
    any |= LetGatheredGo(std::span(fibers_).subspan(first, kWarpLanes));
  }
  return any;
}

bool FiberBlock::LetGatheredGo(std::span<Fiber> warp) {
  bool any = false;
  for (Fiber& fiber : warp) {
    if (fiber.state != Fiber::State::kGathering) continue;
    any = true;
    uint32_t lanes = 0;
    for (const Fiber& other : warp) {
      const bool here = other.state == Fiber::State::kGathering && other.place == fiber.place;
      lanes |= uint32_t{here} << other.thread % kWarpLanes;
    }
    ForEach(lanes, [&](uint32_t lane) {
      warp[lane].gathered = lanes;
      warp[lane].state = Fiber::State::kReady;
    });
  }
  return any;
}

uint32_t FiberBlock::Gather(EmulatedLane* lane) {
  auto* fiber = static_cast<Fiber*>(lane);
  fiber->place = __builtin_return_address(0);
  fiber->owner->Wait(fiber, Fiber::State::kGathering);
  return fiber->gathered;
}

// The last lane to come lets the others go on, and goes on itself. Each has what was exchanged to
// itself: another may be at its next exchange before this one looks.
const u64* FiberBlock::Exchange(EmulatedLane* lane, uint32_t lanes, u64 value) {
  auto* fiber = static_cast<Fiber*>(lane);
  FiberBlock& block = *fiber->owner;
  const uint32_t self = fiber->thread % kWarpLanes;
  Warp& warp = block.warps_[fiber->thread / kWarpLanes];
  warp.brings[self] = value;
  warp.waits_for[self] = lanes;
  bool complete = true;
  ForEach(lanes, [&](uint32_t other) { complete &= warp.waits_for[other] == lanes; });
  if (!complete) {
    block.Wait(fiber, Fiber::State::kInWarp);
    return fiber->taken;
  }
  ForEach(lanes, [&](uint32_t other) {
    Fiber& going = block.fibers_[fiber->thread - self + other];
    std::copy(warp.brings.begin(), warp.brings.end(), going.taken);
    going.state = Fiber::State::kReady;
    warp.waits_for[other] = 0;
  });
  return fiber->taken;
}

void FiberBlock::BlockSync(EmulatedLane* lane) {
  auto* fiber = static_cast<Fiber*>(lane);
  FiberBlock& block = *fiber->owner;
  if (++block.in_block_ < block.fibers_.size()) return block.Wait(fiber, Fiber::State::kInBlock);
  block.in_block_ = 0;
  for (Fiber& other : block.fibers_) other.state = Fiber::State::kReady;
}

}  // namespace shadowvm::device
