// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/partition_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace shadowvm::schedule {
namespace {

TEST(PartitionQueue, CutsResidentSegmentsOnly) {
  PartitionQueue queue({{0, 250, true}, {2, 250, false}, {3, 0, true}, {4, 0, false}, {5, 1, true}},
                       100);
  const std::vector<Partition> expected = {
      {0, 0, 100}, {0, 100, 200}, {0, 200, 250}, {2, 0, 250}, {5, 0, 1}};
  EXPECT_EQ(queue.num_partitions(), 5);
  for (const Partition& partition : expected) EXPECT_EQ(queue.Next(), partition);
  EXPECT_EQ(queue.Next(), std::nullopt);
  EXPECT_EQ(queue.Next(), std::nullopt);
}

TEST(PartitionQueue, HandsEachPartitionToOneThread) {
  PartitionQueue queue({{0, 10000, true}}, 10);
  std::vector<std::vector<Partition>> taken(4);
  std::vector<std::thread> threads;
  for (auto& mine : taken) {
    threads.emplace_back([&queue, &mine] {
      while (const auto partition = queue.Next()) mine.push_back(*partition);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int> seen(1000);
  for (const auto& mine : taken) {
    for (const Partition& partition : mine) ++seen[partition.row_begin / 10];
  }
  EXPECT_EQ(seen, std::vector<int>(1000, 1));
}

}  // namespace
}  // namespace shadowvm::schedule
