// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/private_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "engine/base/tests/test_folder.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;

class PrivateFolderTest : public testing::Test {
 protected:
  base::TestFolder folder_;
  const fs::path root_ = folder_.path();
};

TEST_F(PrivateFolderTest, IsOursAloneAndGoesWithWhatIsInIt) {
  auto folder = PrivateFolder::Make(root_).ValueOrDie();
  struct stat info;
  ASSERT_EQ(::stat(folder->path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  std::ofstream(folder->path() / "file") << "x";
  folder.reset();
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(PrivateFolderTest, LeavesTheLivingAloneAndRemovesTheDead) {
  const auto alive = PrivateFolder::Make(root_).ValueOrDie();
  const fs::path dead = root_ / ("shadowvm-node-" + std::to_string(::geteuid()) + "-dead");
  fs::create_directory(dead);
  std::ofstream(dead / "file") << "x";
  fs::create_directory(root_ / "somebody-elses");
  const auto next = PrivateFolder::Make(root_).ValueOrDie();
  EXPECT_NE(next->path(), alive->path());
  EXPECT_TRUE(fs::exists(alive->path()));
  EXPECT_TRUE(fs::exists(root_ / "somebody-elses"));
  EXPECT_FALSE(fs::exists(dead));
}

TEST_F(PrivateFolderTest, ARootThatIsNotThereIsAnError) {
  const auto folder = PrivateFolder::Make(root_ / "none");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(base::CodeOf(folder.status()), base::ErrorCode::kWriteFailed);
}

}  // namespace
}  // namespace shadowvm::node
