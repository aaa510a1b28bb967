// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/guarded_device.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base/fault.h"
#include "engine/device/emulated/emulated_device.h"

namespace shadowvm::device {
namespace {

class GuardedDeviceTest : public ::testing::Test {
 protected:
  void TearDown() override { base::DisarmFaults(); }

  std::unique_ptr<GuardedDevice> Make() {
    GuardOptions options;
    options.on_failure = [this](const base::Status& why) { failures_.push_back(why); };
    return std::make_unique<GuardedDevice>(
        MakeEmulatedDevice({.memory_bytes = 64 << 10}).ValueOrDie(), std::move(options));
  }

  std::vector<base::Status> failures_;
};

TEST_F(GuardedDeviceTest, WorksAsTheOneBehindIt) {
  auto device = Make();
  auto stream = device->MakeStream().ValueOrDie();
  std::vector<int> in(100, 3), out(100, 0);
  {
    auto memory = device->Allocate(400).ValueOrDie();
    EXPECT_EQ(device->allocated_bytes(), 400);
    ASSERT_TRUE(stream->CopyIn(memory.address(), in.data(), 400).ok());
    ASSERT_TRUE(stream->CopyOut(out.data(), memory.address(), 400).ok());
    ASSERT_TRUE(stream->Synchronize().ok());
  }
  EXPECT_EQ(out, in);
  EXPECT_EQ(device->allocated_bytes(), 0);
  EXPECT_TRUE(device->Allocate(60 << 10).ok());
  EXPECT_FALSE(device->failed());
}

TEST_F(GuardedDeviceTest, WantOfMemoryAndBadCodeAreNoFailures) {
  auto device = Make();
  EXPECT_EQ(base::CodeOf(device->Allocate(1 << 20).status()), base::ErrorCode::kOutOfMemory);
  EXPECT_EQ(base::CodeOf(device->Load("nonsense", "nonsense").status()),
            base::ErrorCode::kKernelLoad);
  EXPECT_FALSE(device->failed());
  EXPECT_TRUE(failures_.empty());
}

TEST_F(GuardedDeviceTest, AFailureIsToldOnceAndEndsItsUse) {
  auto device = Make();
  auto memory = device->Allocate(100).ValueOrDie();
  auto stream = device->MakeStream().ValueOrDie();
  ASSERT_TRUE(base::ArmFaults("device.wait=nth:1:error").ok());
  const base::Status first = stream->Synchronize();
  EXPECT_FALSE(first.ok());
  EXPECT_TRUE(device->failed());
  EXPECT_EQ(stream->Synchronize(), first);
  EXPECT_EQ(device->Allocate(1).status(), first);
  EXPECT_EQ(device->MakeStream().status(), first);
  EXPECT_EQ(device->Load("code", "").status(), first);
  EXPECT_EQ(failures_.size(), 1u);
}

}  // namespace
}  // namespace shadowvm::device
