// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/cpu_device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <set>
#include <stdexcept>

namespace shadowvm::device {
namespace {

// A step that hands out 'count' tasks and records how often each ran.
class Counter {
 public:
  explicit Counter(int count) : hits_(count) {}
  base::Result<bool> Step(int) {
    const int task = next_.fetch_add(1);
    if (task >= static_cast<int>(hits_.size())) return false;
    hits_[task].fetch_add(1);
    return true;
  }
  void ExpectEachOnce() const {
    for (const auto& hits : hits_) EXPECT_EQ(hits.load(), 1);
  }

 private:
  std::atomic<int> next_{0};
  std::vector<std::atomic<int>> hits_;
};

TEST(CpuDevice, RunsEachTaskOnce) {
  for (const int workers : {1, 2, 5}) {
    CpuDevice device(workers);
    for (const int tasks : {0, 1, 1000}) {
      Counter counter(tasks);
      ASSERT_TRUE(device.Run([&](int w) { return counter.Step(w); }, workers).ok());
      counter.ExpectEachOnce();
    }
  }
}

TEST(CpuDevice, WorkersAreNeverUsedTwiceAtOnceWithinARun) {
  CpuDevice device(4);
  std::vector<std::atomic<int>> busy(4);
  std::atomic<int> next{0};
  std::atomic<bool> clash{false};
  const auto step = [&](int worker) -> base::Result<bool> {
    if (busy[worker].fetch_add(1) != 0) clash = true;
    std::this_thread::yield();
    busy[worker].fetch_sub(1);
    return next.fetch_add(1) < 2000;
  };
  ASSERT_TRUE(device.Run(step, 4).ok());
  EXPECT_FALSE(clash);
}

TEST(CpuDevice, KeepsToMaxWorkers) {
  CpuDevice device(4);
  std::atomic<int> highest{0};
  std::atomic<int> next{0};
  const auto step = [&](int worker) -> base::Result<bool> {
    int seen = highest.load();
    while (worker > seen && !highest.compare_exchange_weak(seen, worker)) {
    }
    return next.fetch_add(1) < 500;
  };
  ASSERT_TRUE(device.Run(step, 2).ok());
  EXPECT_LT(highest.load(), 2);
}

TEST(CpuDevice, FirstErrorStopsTheRun) {
  CpuDevice device(3);
  std::atomic<int> steps{0};
  const auto step = [&](int) -> base::Result<bool> {
    if (steps.fetch_add(1) >= 10) return base::MakeError(base::ErrorCode::kOverflow, "here");
    return true;
  };
  EXPECT_EQ(base::CodeOf(device.Run(step, 3)), base::ErrorCode::kOverflow);
  EXPECT_LE(steps.load(), 13);
}

TEST(CpuDevice, ExceptionsBecomeErrors) {
  CpuDevice device(2);
  const auto thrower = [](int) -> base::Result<bool> { throw std::runtime_error("odd"); };
  const base::Status status = device.Run(thrower, 2);
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kInternal);
  EXPECT_NE(status.message().find("odd"), std::string::npos);
  const auto starved = [](int) -> base::Result<bool> { throw std::bad_alloc(); };
  EXPECT_EQ(base::CodeOf(device.Run(starved, 2)), base::ErrorCode::kOutOfMemory);
}

// Who works without asking whether others want it would never leave the first of these.
TEST(CpuDevice, AWorkerGoesFromOneRunToTheNext) {
  CpuDevice device(2);
  std::atomic<bool> joined{false};
  std::atomic<bool> helped{false};
  const auto first = [&](int worker) -> base::Result<bool> {
    if (worker > 0) joined = true;
    return !helped;
  };
  const auto second = [&](int worker) -> base::Result<bool> {
    if (worker > 0) helped = true;
    return !helped;
  };
  std::thread caller([&] { EXPECT_TRUE(device.Run(first, 2).ok()); });
  while (!joined) std::this_thread::yield();
  EXPECT_TRUE(device.Run(second, 2).ok());
  caller.join();
}

TEST(CpuDevice, ConcurrentAndNestedRunsFinish) {
  CpuDevice device(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&device] {
      std::atomic<int> next{0};
      const auto outer = [&](int) -> base::Result<bool> {
        Counter inner(20);
        SVM_RETURN_NOT_OK(device.Run([&](int w) { return inner.Step(w); }, 3));
        inner.ExpectEachOnce();
        return next.fetch_add(1) < 20;
      };
      EXPECT_TRUE(device.Run(outer, 3).ok());
    });
  }
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace shadowvm::device
