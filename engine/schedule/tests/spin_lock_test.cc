// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/spin_lock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace shadowvm::schedule {
namespace {

TEST(SpinLock, LetsInOneAtATime) {
  constexpr int kThreads = 8, kTimes = 20000;
  SpinLock lock;
  int64_t counted = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < kTimes; ++k) {
        std::lock_guard guard(lock);
        ++counted;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted, int64_t{kThreads} * kTimes);
}

}  // namespace
}  // namespace shadowvm::schedule
