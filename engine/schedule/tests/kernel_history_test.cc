// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/kernel_history.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace shadowvm::schedule {
namespace {

std::string PathOf(const std::string& name) { return ::testing::TempDir() + name; }

TEST(KernelHistory, RemembersEachSideByShape) {
  KernelHistory history;
  const uint64_t shape = KernelHistory::ShapeOf("text", "host");
  EXPECT_NE(shape, KernelHistory::ShapeOf("text", "device"));
  EXPECT_EQ(history.Find(shape)[Side::kCpu], 0);
  history.Record(shape, Side::kCpu, 100);
  history.Record(shape, Side::kGpu, 5000);
  history.Record(shape, Side::kCpu, 200);
  EXPECT_EQ(history.Find(shape)[Side::kCpu], 150);
  EXPECT_EQ(history.Find(shape)[Side::kGpu], 5000);
  // Nothing was measured.
  history.Record(shape, Side::kCpu, 0);
  history.Record(shape, Side::kCpu, 1.0 / 0.0);
  EXPECT_EQ(history.Find(shape)[Side::kCpu], 150);
}

TEST(KernelHistory, ForgetsWhatWasNotAskedForLongest) {
  KernelHistory history;
  for (uint64_t shape = 0; shape < KernelHistory::kMostShapes; ++shape) {
    history.Record(shape, Side::kCpu, 1);
  }
  history.Find(0);
  history.Record(KernelHistory::kMostShapes, Side::kCpu, 1);
  EXPECT_EQ(history.Find(0)[Side::kCpu], 1);
  EXPECT_EQ(history.Find(1)[Side::kCpu], 0);
}

TEST(KernelHistory, AnotherProcessReadsIt) {
  const std::string path = PathOf("kernel_speeds");
  KernelHistory history;
  history.Record(0xabcdef0123456789u, Side::kCpu, 12.5);
  history.Record(0xabcdef0123456789u, Side::kGpu, 700);
  ASSERT_TRUE(history.Save(path).ok());
  KernelHistory other;
  other.Load(path);
  EXPECT_EQ(other.Find(0xabcdef0123456789u)[Side::kCpu], 12.5);
  EXPECT_EQ(other.Find(0xabcdef0123456789u)[Side::kGpu], 700);
  std::filesystem::remove(path);
}

TEST(KernelHistory, AFileThatMakesNoSenseIsAsGoodAsNone) {
  const std::string path = PathOf("no_kernel_speeds");
  for (const std::string text : {"", "nonsense", "shadowvm kernel speeds 1\n12 x\n"}) {
    std::ofstream(path) << text;
    KernelHistory history;
    history.Load(path);
    EXPECT_EQ(history.Find(0x12)[Side::kCpu], 0);
  }
  KernelHistory history;
  history.Load(path + "/absent");
  EXPECT_FALSE(history.Save(path + "/absent").ok());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace shadowvm::schedule
