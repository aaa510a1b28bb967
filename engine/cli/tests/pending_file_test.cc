// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/pending_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace shadowvm::cli {
namespace {

namespace fs = std::filesystem;

class PendingFileTest : public testing::Test {
 protected:
  PendingFileTest() { fs::create_directories(folder_); }
  ~PendingFileTest() override { fs::remove_all(folder_); }

  std::string Text(const fs::path& path) const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("svm-pending-" + std::to_string(::getpid()));
};

TEST_F(PendingFileTest, AppearsWithCommitOrNotAtAll) {
  const fs::path path = folder_ / "report.json";
  {
    const PendingFile abandoned(path);
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  ASSERT_TRUE(WriteTextFile(path, "{}").ok());
  EXPECT_EQ(Text(path), "{}");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(PendingFileTest, WhatADeadProcessLeftIsRemoved) {
  const fs::path path = folder_ / "report.json";
  const fs::path left = folder_ / "report.json.tmp-2147483646";
  const fs::path others = folder_ / ("report.json.tmp-" + std::to_string(::getppid()));
  std::ofstream(left) << "half";
  std::ofstream(others) << "half";
  const PendingFile pending(path);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(others));
}

TEST_F(PendingFileTest, WhetherAFileCanBeWrittenIsKnownBefore) {
  const fs::path path = folder_ / "report.json";
  ASSERT_TRUE(WriteTextFile(path, "old").ok());
  EXPECT_TRUE(CheckWritable(path).ok());
  EXPECT_EQ(Text(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  for (const fs::path& wrong : {folder_, folder_ / "none" / "report.json", path / "below"}) {
    const base::Status status = CheckWritable(wrong);
    EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kWriteFailed);
    EXPECT_NE(status.message().find(wrong.string()), std::string::npos) << status;
  }
}

}  // namespace
}  // namespace shadowvm::cli
