// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/write_parquet.h"

#include <arrow/io/file.h>
#include <arrow/table.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/base/fault.h"
#include "engine/cli/tests/ssb_tables.h"

namespace shadowvm::cli::ssb {
namespace {

namespace fs = std::filesystem;

class WriteParquetTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.directory = fs::temp_directory_path() / ("svm-gen-" + std::to_string(::getpid()));
    options_.row_group_rows = 4096;
    fs::create_directories(options_.directory);
  }
  void TearDown() override {
    base::DisarmFaults();
    fs::remove_all(options_.directory);
  }

  base::Status Write(const TableGenerator& table, int threads) {
    options_.threads = threads;
    return WriteParquet(table, options_, [](int64_t) { return base::Status::OK(); });
  }
  std::string Bytes(const std::string& name) const {
    std::ifstream file(options_.directory / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  WriteOptions options_;
};

TEST_F(WriteParquetTest, FilesAreTheSameForAnyNumberOfThreads) {
  const auto table = MakeLineorder(TestScale(0.01));
  ASSERT_TRUE(Write(*table, 1).ok());
  const std::string one = Bytes("lineorder.parquet");
  ASSERT_TRUE(Write(*table, 4).ok());
  EXPECT_FALSE(one.empty());
  EXPECT_TRUE(one == Bytes("lineorder.parquet"));
}

TEST_F(WriteParquetTest, ReadsBackAsWritten) {
  const auto table = MakeLineorder(TestScale(0.01));
  ASSERT_TRUE(Write(*table, 2).ok());
  const auto file =
      arrow::io::ReadableFile::Open((options_.directory / "lineorder.parquet").string())
          .ValueOrDie();
  auto reader = parquet::arrow::OpenFile(file, arrow::default_memory_pool()).ValueOrDie();
  const auto read = reader->ReadTable().ValueOrDie();
  const auto written = arrow::Table::FromRecordBatches({AllRows(*table)}).ValueOrDie();
  EXPECT_TRUE(read->Equals(*written));
  const auto metadata = reader->parquet_reader()->metadata();
  EXPECT_EQ(metadata->num_row_groups(), (table->num_rows() + 4095) / 4096);
  EXPECT_TRUE(metadata->RowGroup(0)->ColumnChunk(5)->is_stats_set());
  EXPECT_TRUE(metadata->RowGroup(0)->ColumnChunk(5)->GetColumnIndexLocation().has_value());
}

#ifdef SHADOWVM_FAULT_POINTS
TEST_F(WriteParquetTest, AFailureLeavesNothingBehind) {
  const auto table = MakeLineorder(TestScale(0.01));
  for (const auto* fault :
       {"gen.file.open", "gen.file.write", "gen.lineorder.allocate", "cli.file.commit"}) {
    ASSERT_TRUE(base::ArmFaults(std::string(fault) + "=nth:1:error").ok());
    EXPECT_FALSE(Write(*table, 2).ok()) << fault;
    EXPECT_TRUE(fs::is_empty(options_.directory)) << fault;
  }
}
#endif

TEST_F(WriteParquetTest, StoppedHalfwayItLeavesNothingBehind) {
  const auto table = MakeLineorder(TestScale(0.01));
  options_.threads = 2;
  int num_groups = 0;
  const auto status = WriteParquet(*table, options_, [&](int64_t) {
    return ++num_groups < 3 ? base::Status::OK()
                            : base::MakeError(base::ErrorCode::kCancelled, "enough");
  });
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kCancelled);
  EXPECT_EQ(num_groups, 3);
  EXPECT_TRUE(fs::is_empty(options_.directory));
}

TEST_F(WriteParquetTest, ErrorsNameTheFile) {
  options_.directory /= "missing";
  const auto status = Write(*MakeDate(), 1);
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kWriteFailed);
  EXPECT_NE(status.message().find("missing/date.parquet"), std::string::npos) << status;
  options_.directory = options_.directory.parent_path();
}

}  // namespace
}  // namespace shadowvm::cli::ssb
