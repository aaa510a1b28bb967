// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/parquet_sink.h"

#include "engine/base/fault.h"
#include "engine/storage/tests/parquet_fixture.h"

namespace shadowvm::storage {
namespace {

class ParquetSinkTest : public ParquetFixture {
 protected:
  static std::shared_ptr<arrow::Table> Numbers() {
    return TableOf({{"k", Int32s(5000, [](int64_t i) { return int32_t(i); })}});
  }
  base::Status WriteAll(const std::string& path, const SinkOptions& options = {}) {
    const auto table = Numbers();
    SVM_ASSIGN_OR_RETURN(auto sink, ParquetSink::Open(path, table->schema(), options));
    SVM_RETURN_NOT_OK(sink->Write(*table));
    return sink->Finish();
  }
  size_t NumFiles() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }
};

TEST_F(ParquetSinkTest, WhatIsWrittenIsRead) {
  using Compression = SinkOptions::Compression;
  for (const auto compression : {Compression::kNone, Compression::kSnappy, Compression::kZstd}) {
    SinkOptions options;
    options.compression = compression;
    options.dictionary = compression != Compression::kNone;
    ASSERT_TRUE(WriteAll(Path("t.parquet"), options).ok());
    ExpectReads(Path("t.parquet"), *Numbers());
  }
  EXPECT_EQ(NumFiles(), 1u);
}

TEST_F(ParquetSinkTest, BatchesAddUp) {
  const auto table = Numbers();
  auto sink = ParquetSink::Open(Path("t.parquet"), table->schema(), {}).ValueOrDie();
  arrow::TableBatchReader reader(*table);
  reader.set_chunksize(999);
  for (const auto& batch : reader.ToRecordBatches().ValueOrDie()) {
    ASSERT_TRUE(sink->Write(*batch).ok());
  }
  ASSERT_TRUE(sink->Finish().ok());
  ExpectReads(Path("t.parquet"), *table);
}

TEST_F(ParquetSinkTest, DroppedUnfinishedItLeavesNothing) {
  {
    auto sink = ParquetSink::Open(Path("t.parquet"), Numbers()->schema(), {}).ValueOrDie();
    ASSERT_TRUE(sink->Write(*Numbers()).ok());
    EXPECT_FALSE(std::filesystem::exists(Path("t.parquet")));
  }
  EXPECT_EQ(NumFiles(), 0u);
}

TEST_F(ParquetSinkTest, AFailureLeavesTheOldFile) {
  ASSERT_TRUE(WriteAll(Path("t.parquet")).ok());
  const std::string before = Content(Path("t.parquet"));
  for (const char* point :
       {"storage.sink.open", "storage.sink.write", "storage.sink.close", "storage.sink.rename"}) {
    ASSERT_TRUE(base::ArmFaults(std::string(point) + "=always:enospc").ok());
    const base::Status status = WriteAll(Path("t.parquet"));
    base::DisarmFaults();
    EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kWriteFailed) << point;
    EXPECT_EQ(NumFiles(), 1u) << point;
    EXPECT_EQ(Content(Path("t.parquet")), before) << point;
  }
}

TEST_F(ParquetSinkTest, NamesAFolderItCannotWriteTo) {
  const base::Status status = WriteAll(Path("no/such/folder/t.parquet"));
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kWriteFailed);
  EXPECT_NE(status.message().find("no/such/folder/t.parquet"), std::string::npos);
}

}  // namespace
}  // namespace shadowvm::storage
