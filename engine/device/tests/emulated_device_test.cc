// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/emulated/emulated_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/device/emulated/fiber_block.h"
#include "engine/memory/mapping_pool.h"

namespace shadowvm::device {
namespace {

using kernels::EmulatedLane;
using kernels::u64;

EmulatedLane CommonOf(std::vector<uint64_t>* shared, void* argument) {
  EmulatedLane common = {};
  common.block_threads = 64;
  common.num_blocks = 1;
  common.shared = reinterpret_cast<uint8_t*>(shared->data());
  common.shared_bytes = shared->size() * 8;
  common.argument = argument;
  return common;
}

// Every lane adds up what the others of its warp bring, again and again.
void AddUp(void* lane) {
  auto* self = static_cast<EmulatedLane*>(lane);
  auto* sums = static_cast<u64*>(const_cast<void*>(self->argument));
  u64 value = self->thread;
  for (int round = 0; round < 3; ++round) {
    const u64* values = self->exchange(self, ~0u, value);
    value = std::accumulate(values, values + 32, u64{0}) + self->thread % 32;
  }
  sums[self->thread] = value;
}

TEST(FiberBlock, LanesExchangeWithTheirWarp) {
  std::vector<uint64_t> shared(1);
  std::vector<u64> sums(64);
  FiberBlock block(64);
  ASSERT_TRUE(block.Run(&AddUp, CommonOf(&shared, sums.data())).ok());
  for (u64 thread = 0; thread < 64; ++thread) {
    std::vector<u64> values(32);
    std::iota(values.begin(), values.end(), thread / 32 * 32);
    for (int round = 0; round < 3; ++round) {
      const u64 sum = std::accumulate(values.begin(), values.end(), u64{0});
      for (u64 lane = 0; lane < 32; ++lane) values[lane] = sum + lane;
    }
    EXPECT_EQ(sums[thread], values[thread % 32]);
  }
}

// Each thread writes its place in shared memory and reads that of the thread across the block.
void ReadAcross(void* lane) {
  auto* self = static_cast<EmulatedLane*>(lane);
  auto* seen = static_cast<u64*>(const_cast<void*>(self->argument));
  auto* shared = reinterpret_cast<u64*>(self->shared);
  shared[self->thread] = 100 + self->thread;
  self->block_sync(self);
  seen[self->thread] = shared[63 - self->thread];
}

TEST(FiberBlock, BarriersOrderWhatABlockShares) {
  std::vector<uint64_t> shared(64);
  std::vector<u64> seen(64);
  FiberBlock block(64);
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(block.Run(&ReadAcross, CommonOf(&shared, seen.data())).ok());
    for (u64 thread = 0; thread < 64; ++thread) EXPECT_EQ(seen[thread], 163 - thread);
  }
}

void WaitAlone(void* lane) {
  auto* self = static_cast<EmulatedLane*>(lane);
  if (self->thread == 5) self->block_sync(self);
}

TEST(FiberBlock, AWaitForNobodyIsAnError) {
  std::vector<uint64_t> shared(1);
  FiberBlock block(64);
  const base::Status status = block.Run(&WaitAlone, CommonOf(&shared, nullptr));
  EXPECT_NE(status.message().find("thread 5"), std::string::npos) << status;
}

TEST(EmulatedDevice, NothingHappensBeforeSynchronize) {
  auto device = MakeEmulatedDevice().ValueOrDie();
  auto memory = device->Allocate(400).ValueOrDie();
  auto stream = device->MakeStream().ValueOrDie();
  std::vector<int> in(100, 3), out(100, 0);
  ASSERT_TRUE(stream->CopyIn(memory.address(), in.data(), 400).ok());
  ASSERT_TRUE(stream->CopyOut(out.data(), memory.address(), 400).ok());
  EXPECT_EQ(out[0], 0);
  ASSERT_TRUE(stream->Synchronize().ok());
  EXPECT_EQ(out, in);
}

TEST(EmulatedDevice, ClearsWhatItIsAskedTo) {
  auto device = MakeEmulatedDevice().ValueOrDie();
  auto memory = device->Allocate(400).ValueOrDie();
  auto stream = device->MakeStream().ValueOrDie();
  std::vector<int> values(100, 3);
  ASSERT_TRUE(stream->CopyIn(memory.address(), values.data(), 400).ok());
  ASSERT_TRUE(stream->Clear(memory.address() + 40, 80).ok());
  std::vector<int> out(100, 0);
  ASSERT_TRUE(stream->CopyOut(out.data(), memory.address(), 400).ok());
  ASSERT_TRUE(stream->Synchronize().ok());
  std::fill(values.begin() + 10, values.begin() + 30, 0);
  EXPECT_EQ(out, values);
}

TEST(EmulatedDevice, AddressesAreItsOwn) {
  auto device = MakeEmulatedDevice().ValueOrDie();
  auto stream = device->MakeStream().ValueOrDie();
  std::vector<int> in(100, 3), other(100, 0);
  const auto of_the_host = reinterpret_cast<DeviceAddress>(other.data());
  EXPECT_FALSE(stream->CopyIn(of_the_host, in.data(), 400).ok());
  EXPECT_FALSE(stream->CopyOut(other.data(), of_the_host, 400).ok());
  EXPECT_FALSE(stream->Clear(of_the_host, 400).ok());
}

TEST(EmulatedDeviceDeathTest, TheHostCannotTouchItsMemory) {
  auto device = MakeEmulatedDevice().ValueOrDie();
  auto memory = device->Allocate(400).ValueOrDie();
  EXPECT_DEATH(*reinterpret_cast<volatile int*>(memory.address()) = 1, "");
}

TEST(EmulatedDevice, MemoryEndsAndComesBack) {
  auto device = MakeEmulatedDevice({.memory_bytes = 64 << 10}).ValueOrDie();
  {
    auto first = device->Allocate(20 << 10);
    auto second = device->Allocate(20 << 10);
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_EQ(base::CodeOf(device->Allocate(40 << 10).status()), base::ErrorCode::kOutOfMemory);
  }
  EXPECT_TRUE(device->Allocate(60 << 10).ok());
}

TEST(EmulatedDevice, MapsWholePagesOnce) {
  auto device = MakeEmulatedDevice().ValueOrDie();
  const memory::Mapping pages = memory::Map(64 << 10);
  {
    auto mapped = device->MapHost(pages.data, 16 << 10);
    ASSERT_TRUE(mapped.ok());
    EXPECT_NE(mapped->address(), 0u);
    EXPECT_FALSE(device->MapHost(pages.data + (8 << 10), 16 << 10).ok());
    EXPECT_FALSE(device->MapHost(pages.data + (32 << 10) + 8, 4 << 10).ok());
    EXPECT_TRUE(device->MapHost(pages.data + (16 << 10), 16 << 10).ok());
  }
  EXPECT_TRUE(device->MapHost(pages.data, 64 << 10).ok());
  memory::Unmap(pages);
}

TEST(EmulatedDevice, BadCodeDoesNotLoad) {
  auto device = MakeEmulatedDevice().ValueOrDie();
  EXPECT_EQ(base::CodeOf(device->Load("nonsense", "nonsense").status()),
            base::ErrorCode::kKernelLoad);
}

}  // namespace
}  // namespace shadowvm::device
