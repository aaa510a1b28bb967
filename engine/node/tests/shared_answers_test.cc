// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/shared_answers.h"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/ipc/reader.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "engine/base/fault.h"
#include "engine/base/tests/test_folder.h"
#include "engine/node/answer_batches.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<arrow::Table> Numbers(int64_t rows) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(i).ok());
  return arrow::Table::Make(arrow::schema({arrow::field("n", arrow::int64())}),
                            {builder.Finish().ValueOrDie()});
}

std::shared_ptr<arrow::Table> Read(const std::vector<SharedFile>& files) {
  std::vector<std::shared_ptr<arrow::Table>> tables;
  for (const SharedFile& file : files) {
    EXPECT_EQ(fs::file_size(file.path), static_cast<uintmax_t>(file.bytes));
    const auto in = arrow::io::ReadableFile::Open(file.path.string()).ValueOrDie();
    tables.push_back(
        arrow::ipc::RecordBatchStreamReader::Open(in).ValueOrDie()->ToTable().ValueOrDie());
  }
  return arrow::ConcatenateTables(tables).ValueOrDie();
}

class SharedAnswersTest : public testing::Test {
 protected:
  void TearDown() override { base::DisarmFaults(); }
  static bool IsEmpty(const SharedAnswers& answers) { return fs::is_empty(answers.folder()); }

  base::TestFolder folder_;
  const fs::path root_ = folder_.path();
  memory::MemoryBudget budget_{int64_t{1} << 30};
};

TEST_F(SharedAnswersTest, FilesAreStreamsOfTheirOwnAndSmallEnough) {
  constexpr int64_t kMax = 2 << 20;
  SharedAnswers answers(root_, &budget_, kMax);
  const auto table = Numbers(1 << 20);
  const auto files = answers.Write("s", BatchesOf(*table).ValueOrDie()).ValueOrDie();
  EXPECT_GT(files.size(), 3U);
  struct stat info;
  for (const SharedFile& file : files) {
    EXPECT_LE(file.bytes, kMax);
    ASSERT_EQ(::stat(file.path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
  }
  EXPECT_TRUE(Read(files)->Equals(*table));
  EXPECT_GE(budget_.used(), 8 << 20);
  EXPECT_GE(answers.bytes(), 8 << 20);
}

TEST_F(SharedAnswersTest, BytesComeBackWhenTheReceiverRemovesAFile) {
  SharedAnswers answers(root_, &budget_);
  const auto files = answers.Write("s", BatchesOf(*Numbers(1000)).ValueOrDie()).ValueOrDie();
  answers.Sweep();
  EXPECT_GT(budget_.used(), 0);
  fs::remove(files[0].path);
  answers.Sweep();
  EXPECT_EQ(budget_.used(), 0);
  EXPECT_EQ(answers.bytes(), 0);
}

TEST_F(SharedAnswersTest, ASessionTakesItsFilesAlong) {
  SharedAnswers answers(root_, &budget_);
  const auto batches = BatchesOf(*Numbers(1000)).ValueOrDie();
  ASSERT_TRUE(answers.Write("s", batches).ok());
  const auto others = answers.Write("other", batches).ValueOrDie();
  answers.Drop("s");
  EXPECT_TRUE(fs::exists(others[0].path));
  answers.Drop("other");
  EXPECT_TRUE(IsEmpty(answers));
  EXPECT_EQ(budget_.used(), 0);
}

TEST_F(SharedAnswersTest, TheEndRemovesEverything) {
  {
    SharedAnswers answers(root_, &budget_);
    ASSERT_TRUE(answers.Write("s", BatchesOf(*Numbers(1000)).ValueOrDie()).ok());
  }
  EXPECT_TRUE(fs::is_empty(root_));
  EXPECT_EQ(budget_.used(), 0);
}

TEST_F(SharedAnswersTest, AFailureLeavesNothing) {
  SharedAnswers answers(root_, &budget_, 1 << 20);
  const auto batches = BatchesOf(*Numbers(1 << 20)).ValueOrDie();
  for (const char* fault : {"node.shared.write=nth:1:error", "node.shared.write=nth:3:enospc"}) {
    ASSERT_TRUE(base::ArmFaults(fault).ok());
    EXPECT_EQ(base::CodeOf(answers.Write("s", batches).status()), base::ErrorCode::kWriteFailed);
    EXPECT_TRUE(IsEmpty(answers));
    EXPECT_EQ(budget_.used(), 0);
  }
  base::DisarmFaults();
  EXPECT_TRUE(answers.Write("s", batches).ok());
}

TEST_F(SharedAnswersTest, NoRoomAndNoFolderAreErrors) {
  memory::MemoryBudget small(1 << 20);
  SharedAnswers full(root_, &small);
  const auto batches = BatchesOf(*Numbers(1 << 20)).ValueOrDie();
  EXPECT_EQ(base::CodeOf(full.Write("s", batches).status()), base::ErrorCode::kOutOfMemory);
  EXPECT_TRUE(IsEmpty(full));
  SharedAnswers absent(root_ / "none", &budget_);
  EXPECT_EQ(base::CodeOf(absent.Write("s", batches).status()), base::ErrorCode::kWriteFailed);
  EXPECT_TRUE(absent.folder().empty());
}

TEST_F(SharedAnswersTest, ARowThatFitsNoFileIsAnError) {
  SharedAnswers answers(root_, &budget_, 100'000);
  arrow::StringBuilder builder;
  ASSERT_TRUE(builder.Append(std::string(200'000, 'x')).ok());
  const auto table = arrow::Table::Make(arrow::schema({arrow::field("t", arrow::utf8())}),
                                        {builder.Finish().ValueOrDie()});
  EXPECT_EQ(base::CodeOf(answers.Write("s", BatchesOf(*table).ValueOrDie()).status()),
            base::ErrorCode::kWriteFailed);
  EXPECT_TRUE(IsEmpty(answers));
}

}  // namespace
}  // namespace shadowvm::node
