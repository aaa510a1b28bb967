// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/memory/budget.h"

#include <gtest/gtest.h>

#include <thread>

namespace shadowvm::memory {
namespace {

TEST(MemoryBudget, CountsAndRemembersItsPeak) {
  MemoryBudget budget(100);
  ASSERT_TRUE(budget.Reserve(60, "a").ok());
  ASSERT_TRUE(budget.Reserve(40, "b").ok());
  budget.Release(70);
  EXPECT_EQ(budget.used(), 30);
  EXPECT_EQ(budget.peak(), 100);
}

TEST(MemoryBudget, RefusesWhatDoesNotFitAndNamesIt) {
  MemoryBudget budget(100);
  ASSERT_TRUE(budget.Reserve(60, "a").ok());
  const base::Status status = budget.Reserve(41, "hash table");
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kOutOfMemory);
  EXPECT_NE(status.message().find("hash table"), std::string::npos);
  EXPECT_EQ(budget.used(), 60);
  EXPECT_FALSE(budget.Reserve(INT64_MAX, "everything").ok());
}

TEST(MemoryBudget, ManyThreadsNeverPassTheLimit) {
  MemoryBudget budget(1000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10000; ++i) {
        if (budget.Reserve(300, "x").ok()) budget.Release(300);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(budget.used(), 0);
  EXPECT_LE(budget.peak(), 1000);
}

class Hoard : public Reclaimer {
 public:
  explicit Hoard(MemoryBudget* budget) : budget_(budget) {}
  void Reclaim(int64_t) override { budget_->Release(std::exchange(held, 0)); }
  int64_t held = 0;

 private:
  MemoryBudget* budget_;
};

TEST(MemoryBudget, AsksReclaimersBeforeItRefuses) {
  MemoryBudget budget(100);
  Hoard hoard(&budget);
  budget.AddReclaimer(&hoard);
  ASSERT_TRUE(budget.Reserve(80, "hoard").ok());
  hoard.held = 80;
  EXPECT_TRUE(budget.Reserve(90, "query").ok());
  EXPECT_EQ(hoard.held, 0);
  EXPECT_FALSE(budget.Reserve(90, "query").ok());
  budget.RemoveReclaimer(&hoard);
}

}  // namespace
}  // namespace shadowvm::memory
