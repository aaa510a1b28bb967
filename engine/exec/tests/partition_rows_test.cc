// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/partition_rows.h"

#include <gtest/gtest.h>

namespace shadowvm::exec {
namespace {

// "worker:begin-end", one per stretch.
std::string Text(const std::vector<RowStretch>& stretches) {
  std::string text;
  for (const RowStretch& stretch : stretches) {
    text += (text.empty() ? "" : " ") + std::to_string(stretch.buffer) + ":" +
            std::to_string(stretch.begin) + "-" + std::to_string(stretch.end);
  }
  return text;
}

TEST(PartitionRows, NothingFound) {
  EXPECT_TRUE(PartitionRows(0).InOrder().empty());
  EXPECT_TRUE(PartitionRows(3).InOrder().empty());
}

TEST(PartitionRows, LeaveInTheOrderTheyEntered) {
  PartitionRows rows(2);
  // Worker 1 takes what comes first in the table, and is slower.
  rows.Add(0, {0, 1000, 2000}, 10);
  rows.Add(0, {1, 0, 1000}, 15);
  rows.Add(1, {0, 0, 1000}, 7);
  rows.Add(0, {1, 1000, 2000}, 18);
  rows.Add(1, {0, 2000, 3000}, 9);
  EXPECT_EQ(Text(rows.InOrder()), "1:0-7 0:0-10 1:7-9 0:10-15 0:15-18");
}

TEST(PartitionRows, SegmentsComeBeforeRows) {
  PartitionRows rows(1);
  rows.Add(0, {1, 0, 10}, 1);
  rows.Add(0, {0, 500, 510}, 2);
  EXPECT_EQ(Text(rows.InOrder()), "0:1-2 0:0-1");
}

TEST(PartitionRows, CountsWhatAllHaveFound) {
  PartitionRows rows(2);
  EXPECT_EQ(rows.Add(0, {0, 0, 10}, 4), 4);
  EXPECT_EQ(rows.Add(1, {0, 10, 20}, 3), 7);
  EXPECT_EQ(rows.Add(0, {0, 20, 30}, 4), 7);  // a partition without rows
  EXPECT_EQ(rows.Add(1, {0, 30, 40}, 5), 9);
  EXPECT_EQ(Text(rows.InOrder()), "0:0-4 1:0-3 0:4-4 1:3-5");
}

}  // namespace
}  // namespace shadowvm::exec
