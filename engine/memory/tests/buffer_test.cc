// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/memory/buffer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/base/fault.h"
#include "engine/memory/mapping_pool.h"

namespace shadowvm::memory {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(Buffer, IsAlignedPaddedAndCounted) {
  MemoryBudget budget(64 * kMiB);
  for (const int64_t size : {int64_t{0}, int64_t{1}, int64_t{1000}, kMiB, 2 * kMiB, 5 * kMiB + 3}) {
    auto buffer = Buffer::Make(&budget, size, "test", Buffer::Fill::kZero).ValueOrDie();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_EQ(buffer->size(), size);
    EXPECT_GE(budget.used(), size + Buffer::kPadding);
    for (int64_t i = 0; i < size + Buffer::kPadding; ++i) ASSERT_EQ(buffer->data()[i], 0);
    std::memset(buffer->data(), 1, size + Buffer::kPadding);
    buffer.reset();
    EXPECT_EQ(budget.used(), 0);
  }
}

TEST(Buffer, ReusesAMappingAndZeroesItAgain) {
  MemoryBudget budget(64 * kMiB);
  auto first = Buffer::Make(&budget, 4 * kMiB, "test").ValueOrDie();
  std::memset(first->data(), 7, 4 * kMiB);
  const uint8_t* address = first->data();
  first.reset();
  EXPECT_GT(budget.pool()->bytes(), 0);
  auto second = Buffer::Make(&budget, 4 * kMiB, "test", Buffer::Fill::kZero).ValueOrDie();
  EXPECT_EQ(second->data(), address);
  EXPECT_EQ(second->data()[4 * kMiB - 1], 0);
  EXPECT_EQ(budget.pool()->bytes(), 0);
}

TEST(Buffer, PoolStaysSmallAndYieldsUnderPressure) {
  MemoryBudget budget(32 * kMiB);
  for (int i = 0; i < 4; ++i) {
    auto a = Buffer::Make(&budget, 3 * kMiB, "test").ValueOrDie();
    auto b = Buffer::Make(&budget, 3 * kMiB, "test").ValueOrDie();
  }
  EXPECT_LE(budget.pool()->bytes(), 4 * kMiB);
  auto big = Buffer::Make(&budget, 31 * kMiB, "test").ValueOrDie();
  EXPECT_EQ(budget.pool()->bytes(), 0);
  EXPECT_LE(budget.used() + budget.pool()->bytes(), budget.limit());
}

TEST(Buffer, OverTheBudgetIsOutOfMemory) {
  MemoryBudget budget(kMiB);
  auto result = Buffer::Make(&budget, 2 * kMiB, "segment");
  EXPECT_EQ(base::CodeOf(result.status()), base::ErrorCode::kOutOfMemory);
  EXPECT_EQ(budget.used(), 0);
}

TEST(Buffer, FaultPointFailsIt) {
  MemoryBudget budget(kMiB);
  ASSERT_TRUE(base::ArmFaults("memory.buffer=always:oom").ok());
  auto result = Buffer::Make(&budget, 10, "segment");
  base::DisarmFaults();
  EXPECT_EQ(base::CodeOf(result.status()), base::ErrorCode::kOutOfMemory);
  EXPECT_EQ(budget.used(), 0);
}

class Watcher : public MappingWatcher {
 public:
  void BeforeUnmap(const Mapping& mapping) override {
    // The pages are still there.
    first_byte = mapping.data[0];
    ++times;
  }
  bool MayServeAgain(const Mapping&) override { return may_serve_again; }
  bool may_serve_again = true;
  int times = 0;
  int first_byte = -1;
};

TEST(Buffer, PagesAreThoseOfTheWholeMapping) {
  MemoryBudget budget(64 * kMiB);
  const Mapping before = PagesOf(*Buffer::Make(&budget, 5 * kMiB, "test").ValueOrDie());
  const auto smaller = Buffer::Make(&budget, 5 * kMiB - 400'000, "test").ValueOrDie();
  const Mapping now = PagesOf(*smaller);
  EXPECT_EQ(now.data, before.data);
  EXPECT_EQ(now.size, before.size);
}

TEST(Buffer, AWatcherHearsOfPagesBeforeTheyGo) {
  MemoryBudget budget(64 * kMiB);
  Watcher watcher;
  budget.pool()->SetWatcher(&watcher);
  auto large = Buffer::Make(&budget, 4 * kMiB, "test").ValueOrDie();
  auto small = Buffer::Make(&budget, 1000, "test").ValueOrDie();
  EXPECT_EQ(PagesOf(*small).data, nullptr);
  const Mapping mapping = PagesOf(*large);
  EXPECT_EQ(mapping.data, large->data());
  EXPECT_GE(mapping.size, 4 * kMiB + Buffer::kPadding);
  mapping.data[0] = 42;
  large.reset();
  small.reset();
  EXPECT_EQ(watcher.times, 0);  // pooled: the pages stay
  budget.pool()->Trim(0);
  EXPECT_EQ(watcher.times, 1);
  EXPECT_EQ(watcher.first_byte, 42);
  budget.pool()->RemoveWatcher(&watcher);
  Buffer::Make(&budget, 4 * kMiB, "test").ValueOrDie().reset();
  budget.pool()->Trim(0);
  EXPECT_EQ(watcher.times, 1);
}

// The one before may go after its successor has come.
TEST(Buffer, AWatcherThatGoesLeavesTheNextOneItsPlace) {
  MemoryBudget budget(64 * kMiB);
  Watcher before, next;
  budget.pool()->SetWatcher(&before);
  budget.pool()->SetWatcher(&next);
  budget.pool()->RemoveWatcher(&before);
  Buffer::Make(&budget, 4 * kMiB, "test").ValueOrDie().reset();
  budget.pool()->Trim(0);
  EXPECT_EQ(before.times, 0);
  EXPECT_EQ(next.times, 1);
  budget.pool()->RemoveWatcher(&next);
}

TEST(Buffer, PagesThatMayNotServeAgainGo) {
  MemoryBudget budget(64 * kMiB);
  Watcher watcher;
  budget.pool()->SetWatcher(&watcher);
  watcher.may_serve_again = false;
  Buffer::Make(&budget, 4 * kMiB, "test").ValueOrDie().reset();
  EXPECT_EQ(watcher.times, 1);
  EXPECT_EQ(budget.pool()->bytes(), 0);
  budget.pool()->RemoveWatcher(&watcher);
}

}  // namespace
}  // namespace shadowvm::memory
