// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/run_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <set>

namespace shadowvm::node {
namespace {

TEST(RunThreadsTest, EverythingRunsAtOnce) {
  constexpr int kPieces = 20;
  std::latch all(kPieces);
  RunThreads threads;
  // Each waits for all others.
  for (int i = 0; i < kPieces; ++i) threads.Start([&] { all.arrive_and_wait(); });
  all.wait();
}

TEST(RunThreadsTest, ThreadsAreUsedAgain) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  {
    RunThreads threads;
    for (int i = 0; i < 50; ++i) {
      std::latch done(1);
      threads.Start([&] {
        std::lock_guard lock(mutex);
        seen.insert(std::this_thread::get_id());
        done.count_down();
      });
      done.wait();
    }
  }
  // One that counts down is not idle yet when the next piece comes, and may not be for a while on a
  // busy machine.
  EXPECT_LT(seen.size(), 25u);
}

TEST(RunThreadsTest, TheEndWaitsForWork) {
  std::atomic<int> done{0};
  {
    RunThreads threads;
    for (int i = 0; i < 10; ++i) threads.Start([&] { ++done; });
  }
  EXPECT_EQ(done, 10);
}

TEST(RunThreadsTest, WhatWorkHoldsGoesWithIt) {
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  RunThreads threads;
  threads.Start([held = std::move(held)] {});
  while (!watched.expired()) std::this_thread::yield();
}

}  // namespace
}  // namespace shadowvm::node
