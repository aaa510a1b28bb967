// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/kernels/common/abi.h"

namespace shadowvm::kernels {

inline constexpr u32 kWarpLanes = 32;

// What a thread of an emulated GPU knows of itself: the argument of svm_kernel when the text of a
// GPU's kernel is compiled for the host. The emulated device runs each thread as a fiber.
struct EmulatedLane {
  u32 thread;  // in its block
  u32 block;
  u32 block_threads;
  u32 num_blocks;
  u8* shared;  // the block's memory
  u64 shared_bytes;
  const void* argument;
  // Waits for lanes of the warp, by bits, this one among them; gives what each of them came with,
  // by lane.
  const u64* (*exchange)(EmulatedLane* lane, u32 lanes, u64 value);
  u64 taken[kWarpLanes];
  // Waits until no thread can go on otherwise; gives the lanes of the warp that wait where this one
  // does, as bits.
  u32 (*gather)(EmulatedLane* lane);
  // Waits for all threads of the block.
  void (*block_sync)(EmulatedLane* lane);
  // The fiber's stack, and the device's memory. What lies elsewhere is the host's, and touch_host
  // is told of it.
  const u8* stack;
  u64 stack_bytes;
  const u8* memory;
  u64 memory_bytes;
  void* touched;
  void (*touch_host)(EmulatedLane* lane, const void* at, u64 bytes, bool writes);
};

}  // namespace shadowvm::kernels
