// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/parallel.h"

#include <gtest/gtest.h>

#include <atomic>

#include "engine/device/cpu_device.h"

namespace shadowvm::schedule {
namespace {

class ParallelTest : public ::testing::Test {
 protected:
  device::CpuDevice device_{3};
  CancelToken cancel_;
  Workers workers_{&device_, &cancel_};
};

TEST_F(ParallelTest, ForRunsEachTaskOnce) {
  for (const int64_t tasks : {0, 1, 2, 777}) {
    std::vector<std::atomic<int>> hits(tasks);
    const auto task = [&](int worker, int64_t index) {
      EXPECT_LT(worker, 3);
      hits[index].fetch_add(1);
      return base::Status::OK();
    };
    ASSERT_TRUE(ParallelFor(workers_, tasks, task).ok());
    for (const auto& hit : hits) EXPECT_EQ(hit.load(), 1);
  }
}

TEST_F(ParallelTest, RangesCoverEverythingOnce) {
  for (const int64_t count : {0, 1, 10, 1000, 1001}) {
    std::vector<std::atomic<int>> hits(count);
    std::atomic<int> ranges{0};
    const auto range = [&](int, int64_t begin, int64_t end) {
      ranges.fetch_add(1);
      for (int64_t i = begin; i < end; ++i) hits[i].fetch_add(1);
      return base::Status::OK();
    };
    ASSERT_TRUE(ParallelRanges(workers_, count, 100, range).ok());
    EXPECT_EQ(ranges.load(), count >= 1000 ? 3 : 1);
    for (const auto& hit : hits) EXPECT_EQ(hit.load(), 1);
  }
}

TEST_F(ParallelTest, CancellingStopsPartitions) {
  PartitionQueue queue({{0, 1000000, true}}, 10);
  std::atomic<int> done{0};
  const auto function = [&](int, const Partition&) {
    if (done.fetch_add(1) >= 5) cancel_.Cancel();
    return base::Status::OK();
  };
  EXPECT_EQ(base::CodeOf(RunPartitions(workers_, &queue, function)), base::ErrorCode::kCancelled);
  EXPECT_LE(done.load(), 8);
  EXPECT_EQ(*cancel_.flag(), 1u);
  EXPECT_EQ(base::CodeOf(ParallelFor(workers_, 0, nullptr)), base::ErrorCode::kCancelled);
}

TEST_F(ParallelTest, ErrorOfAPartitionIsReturned) {
  PartitionQueue queue({{0, 100, true}}, 10);
  const auto function = [](int, const Partition& partition) {
    if (partition.row_begin != 50) return base::Status::OK();
    return base::MakeError(base::ErrorCode::kCastOverflow, "row 50");
  };
  EXPECT_EQ(base::CodeOf(RunPartitions(workers_, &queue, function)),
            base::ErrorCode::kCastOverflow);
}

}  // namespace
}  // namespace shadowvm::schedule
