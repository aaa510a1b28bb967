// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/kernel_history.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/base/tests/test_folder.h"

namespace shadowvm::schedule {
namespace {

std::string PathOf(const std::string& name) { return ::testing::TempDir() + name; }

TEST(KernelHistory, RemembersEachSideByShape) {
  KernelHistory history;
  const uint64_t shape = KernelHistory::ShapeOf("text", "host");
  EXPECT_NE(shape, KernelHistory::ShapeOf("text", "device"));
  EXPECT_NE(shape, KernelHistory::ShapeOf("texthost"));
  EXPECT_NE(shape, KernelHistory::ShapeOf("a longer text", "host"));
  EXPECT_EQ(shape, KernelHistory::At(KernelHistory::ShapeOf("text"), "host"));
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

// Two processes that know of each other by their file alone.
class SharedHistory : public ::testing::Test {
 protected:
  // What a process that comes later knows.
  void LoadLater() { later_.Load(path_); }

  const base::TestFolder folder_;
  const std::string path_ = folder_ / "kernel_speeds";
  KernelHistory one_, other_, later_;
};

TEST_F(SharedHistory, ProcessesLearnFromEachOther) {
  one_.Record(1, Side::kCpu, 10);
  other_.Record(2, Side::kGpu, 20);
  ASSERT_TRUE(one_.Save(path_).ok());
  ASSERT_TRUE(other_.Save(path_).ok());
  EXPECT_EQ(other_.Find(1)[Side::kCpu], 10);
  LoadLater();
  EXPECT_EQ(later_.Find(1)[Side::kCpu], 10);
  EXPECT_EQ(later_.Find(2)[Side::kGpu], 20);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(SharedHistory, TheNewerSpeedsOfAShapeHold) {
  one_.Record(1, Side::kCpu, 10);
  one_.Record(1, Side::kGpu, 11);
  ASSERT_TRUE(one_.Save(path_).ok());
  // It has never heard of the first one's; what it has not measured itself it takes from there.
  other_.Record(1, Side::kCpu, 30);
  ASSERT_TRUE(other_.Save(path_).ok());
  EXPECT_EQ(other_.Find(1)[Side::kCpu], 30);
  EXPECT_EQ(other_.Find(1)[Side::kGpu], 11);
  // The first one has learned something else since.
  one_.Record(2, Side::kCpu, 5);
  ASSERT_TRUE(one_.Save(path_).ok());
  EXPECT_EQ(one_.Find(1)[Side::kCpu], 30);
  LoadLater();
  EXPECT_EQ(later_.Find(1)[Side::kCpu], 30);
  EXPECT_EQ(later_.Find(1)[Side::kGpu], 11);
  EXPECT_EQ(later_.Find(2)[Side::kCpu], 5);
}

TEST_F(SharedHistory, OthersShapesMakeNoneOfItsOwnGo) {
  for (uint64_t shape = 0; shape < KernelHistory::kMostShapes; ++shape) {
    one_.Record(shape, Side::kCpu, 1);
    other_.Record(shape + KernelHistory::kMostShapes, Side::kCpu, 1);
  }
  ASSERT_TRUE(one_.Save(path_).ok());
  ASSERT_TRUE(other_.Save(path_).ok());
  EXPECT_EQ(other_.Find(0)[Side::kCpu], 0);
  EXPECT_EQ(other_.Find(KernelHistory::kMostShapes)[Side::kCpu], 1);
}

TEST(KernelHistory, KnowsWhetherThereIsAnythingToSave) {
  const base::TestFolder folder;
  KernelHistory history;
  EXPECT_FALSE(history.has_news());
  history.Record(1, Side::kCpu, 10);
  EXPECT_FALSE(history.Save(folder / "absent/kernel_speeds").ok());
  EXPECT_TRUE(history.has_news());
  ASSERT_TRUE(history.Save(folder / "kernel_speeds").ok());
  EXPECT_FALSE(history.has_news());
  history.Find(1);
  EXPECT_FALSE(history.has_news());
}

TEST(KernelHistory, AFileThatMakesNoSenseIsAsGoodAsNone) {
  const std::string path = PathOf("no_kernel_speeds");
  for (const std::string text :
       {"", "nonsense", "shadowvm kernel speeds 1\n12 5 5\n", "shadowvm kernel speeds 2\n12 x\n"}) {
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
