// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/fault.h"

#include <gtest/gtest.h>

namespace shadowvm::base {
namespace {

Status Work() {
  SVM_FAULT_POINT("test.work");
  return Status::OK();
}

class FaultTest : public ::testing::Test {
 protected:
  void TearDown() override { DisarmFaults(); }
};

TEST_F(FaultTest, FiresOnTheNthHitOnly) {
  ASSERT_TRUE(ArmFaults("test.work=nth:2:oom").ok());
  EXPECT_TRUE(Work().ok());
  EXPECT_EQ(CodeOf(Work()), ErrorCode::kOutOfMemory);
  EXPECT_TRUE(Work().ok());
  EXPECT_EQ(FaultHits("test.work"), 3);
}

TEST_F(FaultTest, ChanceIsRepeatableBySeed) {
  auto failures = [] {
    EXPECT_TRUE(ArmFaults("test.work=prob:0.5:7:error").ok());
    std::string pattern;
    for (int i = 0; i < 32; ++i) pattern += Work().ok() ? '.' : 'x';
    return pattern;
  };
  const std::string first = failures();
  EXPECT_EQ(first, failures());
  EXPECT_NE(first.find('x'), std::string::npos);
  EXPECT_NE(first.find('.'), std::string::npos);
}

TEST_F(FaultTest, WrongSpecificationsAreRefused) {
  EXPECT_FALSE(ArmFaults("no-equals").ok());
  EXPECT_FALSE(ArmFaults("a=sometimes:error").ok());
  EXPECT_FALSE(ArmFaults("a=always:explode").ok());
}

}  // namespace
}  // namespace shadowvm::base
