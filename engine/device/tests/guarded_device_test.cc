// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/guarded_device.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <vector>

#include "engine/base/fault.h"
#include "engine/device/emulated/emulated_device.h"

namespace shadowvm::device {
namespace {

using base::Result;
using base::Status;

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

// Who falls back to the CPU uses the memory again that its stream was to write to.
TEST_F(GuardedDeviceTest, WhatIsQueuedIsWaitedForAfterAnothersFailure) {
  auto device = Make();
  auto memory = device->Allocate(400).ValueOrDie();
  auto other = device->MakeStream().ValueOrDie();
  auto stream = device->MakeStream().ValueOrDie();
  std::vector<int> in(100, 3), out(100, 0);
  ASSERT_TRUE(stream->CopyIn(memory.address(), in.data(), 400).ok());
  ASSERT_TRUE(stream->CopyOut(out.data(), memory.address(), 400).ok());
  ASSERT_TRUE(base::ArmFaults("device.wait=nth:1:error").ok());
  const base::Status failure = other->Synchronize();
  ASSERT_FALSE(failure.ok());
  EXPECT_EQ(stream->Synchronize(), failure);
  EXPECT_EQ(out, in);
}

// A device whose streams are as far as a test says.
class ScriptedDevice : public Accelerator {
 public:
  struct Work {
    int questions = 0;  // IsDone says no so often; negative: always
    int waits = 0;      // Synchronize was called so often
  };

  const AcceleratorFacts& facts() const override { return facts_; }
  Result<DeviceMemory> Allocate(int64_t bytes) override { return DeviceMemory(this, 1, bytes); }
  Result<HostMapping> MapHost(void* pages, int64_t) override { return HostMapping(this, pages, 1); }
  Result<std::unique_ptr<Program>> Load(const std::string&, const std::string&) override {
    return std::make_unique<Program>();
  }
  Result<std::unique_ptr<Stream>> MakeStream() override {
    return std::make_unique<ScriptedStream>(&work[num_streams_++]);
  }

  std::map<int, Work> work;  // by stream

 private:
  class ScriptedStream : public Stream {
   public:
    explicit ScriptedStream(Work* work) : work_(*work) {}
    Status CopyIn(DeviceAddress, const void*, int64_t) override { return Status::OK(); }
    Status CopyOut(void*, DeviceAddress, int64_t) override { return Status::OK(); }
    bool CopiesOutPromptly(int64_t) const override { return true; }
    Status Clear(DeviceAddress, int64_t) override { return Status::OK(); }
    Status Launch(const Program&, const LaunchShape&, DeviceAddress) override {
      return Status::OK();
    }
    Status Synchronize() override {
      EXPECT_EQ(work_.questions, 0) << "it would wait for ever";
      ++work_.waits;
      return Status::OK();
    }
    Result<bool> IsDone() override {
      if (work_.questions > 0) --work_.questions;
      return work_.questions == 0;
    }
    double launch_milliseconds() const override { return 0; }

   private:
    Work& work_;
  };

  void Free(DeviceAddress, int64_t) override {}
  void UnmapHost(void*) override {}

  AcceleratorFacts facts_;
  int num_streams_ = 0;
};

TEST(HungDevice, OtherStreamsAreWaitedForUntilTheirLimit) {
  auto scripted = std::make_unique<ScriptedDevice>();
  auto& work = scripted->work;
  GuardedDevice device(std::move(scripted), {.launch_limit = std::chrono::milliseconds(20),
                                             .limit_option = "--gpu-limit"});
  const auto program = device.Load("code", "").ValueOrDie();
  const auto hung = device.MakeStream().ValueOrDie();
  const auto copies = device.MakeStream().ValueOrDie();
  const auto dead = device.MakeStream().ValueOrDie();
  work[0].questions = -1;
  ASSERT_TRUE(hung->Launch(*program, {}, 0).ok());
  const base::Status failure = hung->Synchronize();
  ASSERT_FALSE(failure.ok());
  EXPECT_NE(failure.message().find("--gpu-limit"), std::string::npos) << failure;
  EXPECT_TRUE(device.hangs());

  work[1].questions = 3;
  EXPECT_EQ(copies->Synchronize(), failure);
  EXPECT_EQ(work[1].questions, 0);
  EXPECT_EQ(work[1].waits, 1);

  work[2].questions = -1;
  EXPECT_EQ(dead->Synchronize(), failure);
  EXPECT_EQ(work[0].waits + work[2].waits, 0);
}

}  // namespace
}  // namespace shadowvm::device
