// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/device_copies.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/base/fault.h"
#include "engine/device/emulated/emulated_device.h"
#include "engine/exec/gpu/pinned_pages.h"

namespace shadowvm::exec {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

class DeviceCopiesTest : public ::testing::Test {
 protected:
  using BufferPtr = DeviceCopies::BufferPtr;

  void TearDown() override { base::DisarmFaults(); }

  BufferPtr MakeBuffer(int64_t bytes) {
    return memory::Buffer::Make(&budget_, bytes, "test").ValueOrDie();
  }
  // A launch that reads so many bytes of the buffer, and wants a copy of it.
  bool Read(const BufferPtr& buffer, int64_t bytes, int64_t allowance = 64 * kMiB,
            bool needed = false) {
    if (copies_.Use({{buffer, bytes}})[0] != nullptr) return true;
    const auto room = copies_.MakeRoom({{buffer, 0, needed}}, allowance);
    if (room[0] == nullptr) return false;
    copies_.Publish(buffer, room[0]);
    return true;
  }

  memory::MemoryBudget budget_{256 * kMiB};
  device::GuardedDevice device_{device::MakeEmulatedDevice().ValueOrDie(), {}};
  DeviceArena arena_{&device_, 4 * kMiB};
  PlacedScans scans_;
  DeviceCopies copies_{&arena_, &scans_};
};

TEST_F(DeviceCopiesTest, WhatSavesMoreForItsSizeReplacesWhatSavesLess) {
  const BufferPtr cold = MakeBuffer(2 * kMiB), warm = MakeBuffer(2 * kMiB),
                  hot = MakeBuffer(2 * kMiB);
  EXPECT_TRUE(Read(cold, 100));
  EXPECT_TRUE(Read(warm, kMiB));
  EXPECT_TRUE(Read(hot, 2 * kMiB));
  EXPECT_EQ(copies_.Find(cold), nullptr);
  EXPECT_NE(copies_.Find(warm), nullptr);
  // What is read less stays out, however often.
  for (int again = 0; again < 20; ++again) {
    EXPECT_FALSE(Read(cold, 100));
    EXPECT_TRUE(Read(warm, kMiB));
    EXPECT_TRUE(Read(hot, 2 * kMiB));
  }
  EXPECT_EQ(copies_.dropped(), 1);
  EXPECT_EQ(copies_.bytes(), 4 * kMiB);
}

TEST_F(DeviceCopiesTest, OldReadsCountLess) {
  const BufferPtr before = MakeBuffer(4 * kMiB), after = MakeBuffer(4 * kMiB);
  for (int again = 0; again < 20; ++again) EXPECT_TRUE(Read(before, 4 * kMiB));
  int launches = 1;
  while (!Read(after, 4 * kMiB)) ++launches;
  EXPECT_GT(launches, 2);
  EXPECT_LT(launches, 40);
  EXPECT_EQ(copies_.Find(before), nullptr);
}

TEST_F(DeviceCopiesTest, NoMoreGivesWayThanALaunchMayReplace) {
  const BufferPtr cold = MakeBuffer(4 * kMiB), hot = MakeBuffer(4 * kMiB);
  EXPECT_TRUE(Read(cold, 1));
  EXPECT_FALSE(Read(hot, 4 * kMiB, kMiB));
  EXPECT_TRUE(Read(hot, 4 * kMiB, kMiB, /*needed=*/true));
}

TEST_F(DeviceCopiesTest, WhatIsInUseStays) {
  const BufferPtr used = MakeBuffer(4 * kMiB), wanted = MakeBuffer(4 * kMiB);
  EXPECT_TRUE(Read(used, 1));
  const DeviceCopies::CopyPtr held = copies_.Find(used);
  EXPECT_FALSE(Read(wanted, 4 * kMiB, 64 * kMiB, /*needed=*/true));
  copies_.Drop(4 * kMiB);
  EXPECT_EQ(copies_.Find(used), held);
  // Forgotten, its bytes still are there for who holds it.
  copies_.Clear();
  EXPECT_EQ(arena_.used(), 4 * kMiB);
}

TEST_F(DeviceCopiesTest, CopiesOfBuffersThatAreGoneMakeRoomFirst) {
  BufferPtr gone = MakeBuffer(2 * kMiB);
  const BufferPtr kept = MakeBuffer(2 * kMiB), next = MakeBuffer(2 * kMiB);
  EXPECT_TRUE(Read(gone, 2 * kMiB));
  EXPECT_TRUE(Read(kept, 1));
  gone.reset();
  EXPECT_TRUE(Read(next, 1));
  EXPECT_NE(copies_.Find(kept), nullptr);
  EXPECT_EQ(copies_.dropped(), 0);
}

TEST_F(DeviceCopiesTest, NeededBuffersHaveRoomBeforeOthers) {
  const BufferPtr other = MakeBuffer(3 * kMiB), needed = MakeBuffer(2 * kMiB);
  copies_.Use({{other, 3 * kMiB}, {needed, 1}});
  const auto room = copies_.MakeRoom({{other, 0, false}, {needed, 0, true}}, kMiB);
  EXPECT_EQ(room[0], nullptr);
  EXPECT_NE(room[1], nullptr);
}

TEST_F(DeviceCopiesTest, ADeviceThatHasNoMoreGivesNone) {
  ASSERT_TRUE(base::ArmFaults("device.emulated.allocate=always:oom").ok());
  const BufferPtr buffer = MakeBuffer(kMiB);
  EXPECT_FALSE(Read(buffer, kMiB));
  base::DisarmFaults();
  EXPECT_TRUE(Read(buffer, kMiB));
}

TEST_F(DeviceCopiesTest, PagesArePinnedInTheBackgroundUntilTheyGo) {
  PinnedPages pinned(&device_, budget_.pool());
  BufferPtr large = MakeBuffer(4 * kMiB);
  const BufferPtr small = MakeBuffer(1000);
  EXPECT_EQ(pinned.Find(*large), 0u);
  pinned.Want(large);
  pinned.Want(small);
  pinned.Want(large);
  pinned.Await();
  EXPECT_NE(pinned.Find(*large), 0u);
  EXPECT_EQ(pinned.Find(*small), 0u);
  EXPECT_GE(pinned.bytes(), 4 * kMiB);
  // Pages that are only given to another buffer stay pinned.
  large.reset();
  const BufferPtr next = MakeBuffer(4 * kMiB);
  EXPECT_NE(pinned.Find(*next), 0u);
  budget_.pool()->Trim(0);
  EXPECT_NE(pinned.Find(*next), 0u);
}

TEST_F(DeviceCopiesTest, ALongerBufferOnTheSamePagesIsPinnedAlready) {
  PinnedPages pinned(&device_, budget_.pool());
  BufferPtr longer = MakeBuffer(4 * kMiB);
  const uint8_t* const data = longer->data();
  longer.reset();
  BufferPtr shorter = MakeBuffer(7 * kMiB / 2);
  ASSERT_EQ(shorter->data(), data);
  pinned.Want(shorter);
  pinned.Await();
  EXPECT_NE(pinned.Find(*shorter), 0u);
  shorter.reset();
  longer = MakeBuffer(4 * kMiB);
  ASSERT_EQ(longer->data(), data);
  EXPECT_NE(pinned.Find(*longer), 0u);
}

TEST_F(DeviceCopiesTest, PagesThatGoAreUnpinned) {
  PinnedPages pinned(&device_, budget_.pool());
  for (int again = 0; again < 3; ++again) {
    BufferPtr buffer = MakeBuffer(4 * kMiB);
    pinned.Want(buffer);
    pinned.Await();
    EXPECT_NE(pinned.Find(*buffer), 0u);
    buffer.reset();
    budget_.pool()->Trim(0);
    EXPECT_EQ(pinned.bytes(), 0);
  }
}

TEST_F(DeviceCopiesTest, PagesThatCannotBePinnedAreNotTriedAgain) {
  PinnedPages pinned(&device_, budget_.pool());
  ASSERT_TRUE(base::ArmFaults("device.emulated.map=always:error").ok());
  const BufferPtr buffer = MakeBuffer(4 * kMiB);
  pinned.Want(buffer);
  pinned.Await();
  base::DisarmFaults();
  pinned.Want(buffer);
  pinned.Await();
  EXPECT_EQ(pinned.Find(*buffer), 0u);
}

// A kernel that runs before its copy must not find what the memory's last user left there.
TEST_F(DeviceCopiesTest, WhatTheArenaGivesAgainHoldsNothing) {
  const std::vector<uint8_t> written(1000, 7), unwritten(1000, 0xa5);
  std::vector<uint8_t> out(1000);
  const auto stream = device_.MakeStream().ValueOrDie();
  device::DeviceAddress first = 0;
  {
    const DeviceBlock block = arena_.Take(1000).ValueOrDie();
    first = block.address();
    ASSERT_TRUE(stream->CopyIn(block.address(), written.data(), 1000).ok());
    ASSERT_TRUE(stream->Synchronize().ok());
  }
  const DeviceBlock again = arena_.Take(1000).ValueOrDie();
  ASSERT_EQ(again.address(), first);
  ASSERT_TRUE(stream->CopyOut(out.data(), again.address(), 1000).ok());
  ASSERT_TRUE(stream->Synchronize().ok());
  EXPECT_EQ(out, unwritten);
}

// Who asks for more than any stretch can hold must not drive copies out for nothing.
TEST_F(DeviceCopiesTest, TheArenaKnowsWhatItCouldNeverGive) {
  EXPECT_TRUE(arena_.CouldTake(arena_.cap() / 2));
  EXPECT_FALSE(arena_.CouldTake(arena_.cap() + 1));
  std::vector<DeviceBlock> held;
  for (auto block = arena_.Take(arena_.cap() / 8); block.ok();
       block = arena_.Take(arena_.cap() / 8)) {
    held.push_back(std::move(*block));
  }
  EXPECT_TRUE(arena_.CouldTake(arena_.cap() / 8));  // they could be given back
  EXPECT_FALSE(arena_.CouldTake(arena_.cap() + 1));
}

// Others use the device, too: what they leave is less than the cap, and than a usual piece.
class SharedDeviceTest : public DeviceCopiesTest {
 protected:
  device::GuardedDevice small_{device::MakeEmulatedDevice({.memory_bytes = 24 * kMiB}).ValueOrDie(),
                               {}};
  DeviceArena shared_{&small_, 256 * kMiB};
  DeviceCopies kept_{&shared_, &scans_};
};

TEST_F(SharedDeviceTest, WhatIsLeftOfADeviceIsUsed) {
  std::vector<DeviceBlock> held;
  for (auto block = shared_.Take(4 * kMiB); block.ok(); block = shared_.Take(4 * kMiB)) {
    held.push_back(std::move(*block));
  }
  EXPECT_EQ(held.size(), 6u);  // a usual piece has 16 MiB
  EXPECT_EQ(shared_.cap(), 24 * kMiB);
  EXPECT_FALSE(shared_.CouldTake(64 * kMiB));
  held.clear();
  EXPECT_TRUE(shared_.CouldTake(16 * kMiB));
}

TEST_F(SharedDeviceTest, NoMoreCopiesGiveWayThanAreInTheWay) {
  std::vector<BufferPtr> buffers;
  for (int i = 0; i < 6; ++i) {
    buffers.push_back(MakeBuffer(4 * kMiB));
    kept_.Use({{buffers.back(), 1000 + i}});
    const auto room = kept_.MakeRoom({{buffers.back()}}, 0);
    ASSERT_NE(room[0], nullptr);
    kept_.Publish(buffers.back(), room[0]);
  }
  ASSERT_FALSE(shared_.Take(4 * kMiB).ok());
  kept_.Drop(4 * kMiB);
  EXPECT_EQ(kept_.dropped(), 1);
  EXPECT_TRUE(shared_.Take(4 * kMiB).ok());
}

TEST_F(SharedDeviceTest, WhatOthersGiveBackIsUsedAgain) {
  {
    const device::DeviceMemory others = small_.Allocate(22 * kMiB).ValueOrDie();
    EXPECT_FALSE(shared_.Take(kMiB).ok());
    EXPECT_EQ(shared_.cap(), 0);
  }
  const auto block = shared_.Take(kMiB);
  EXPECT_TRUE(block.ok()) << block.status();
  EXPECT_EQ(shared_.cap(), 256 * kMiB);
}

}  // namespace
}  // namespace shadowvm::exec
