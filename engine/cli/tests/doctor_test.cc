// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "engine/cli/bench/bandwidth.h"
#include "engine/cli/doctor/finding.h"
#include "engine/cli/machine.h"
#include "engine/cli/progress.h"
#include "engine/vkernel/compile/disk_cache.h"

namespace shadowvm::cli {
namespace {

TEST(DoctorTest, SaysSomethingOfEveryThing) {
  std::set<std::string> names;
  for (const auto& finding : Examine()) {
    EXPECT_FALSE(finding.text.empty()) << finding.name;
    names.insert(finding.name);
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"cores", "simd", "memory", "huge pages", "kernel cache",
                                   "compile worker", "c++ compiler", "gpu", "gpu compiler"}));
}

TEST(DoctorTest, CacheFolderFollowsTheEnvironment) {
  ::setenv("SHADOWVM_CACHE_DIR", "/tmp/svm-no-such-cache", 1);
  EXPECT_EQ(vkernel::DefaultCacheDirectory(), "/tmp/svm-no-such-cache");
  EXPECT_NE(FindKernelCache().text.find("made on first use"), std::string::npos);
  ::unsetenv("SHADOWVM_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", "/tmp/svm-cache", 1);
  EXPECT_EQ(vkernel::DefaultCacheDirectory(), "/tmp/svm-cache/shadowvm/kernels");
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(MachineTest, KnowsItsCoresAndMemory) {
  const Machine machine = DescribeMachine();
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.memory_bytes, 1 << 20);
  EXPECT_FALSE(machine.kernel.empty());
}

TEST(BandwidthTest, BufferIsLargerThanTheLastCache) {
  EXPECT_GE(BandwidthBufferBytes(), 16 << 20);
  const auto bandwidth = MeasureReadBandwidth(2, 1 << 20);
  ASSERT_TRUE(bandwidth.ok());
  EXPECT_GT(*bandwidth, 0);
}

TEST(ProgressTest, FillsFromLeftToRight) {
  EXPECT_NE(ProgressText(50, 100, 4).find(" 50 %"), std::string::npos);
  EXPECT_NE(ProgressText(50, 100, 4).find("4 s left"), std::string::npos);
  EXPECT_EQ(ProgressText(100, 100, 4).find("left"), std::string::npos);
  EXPECT_NE(ProgressText(0, 0, 0).find("100 %"), std::string::npos);
}

}  // namespace
}  // namespace shadowvm::cli
