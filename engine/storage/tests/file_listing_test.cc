// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/file_listing.h"

#include "engine/storage/tests/parquet_fixture.h"

namespace shadowvm::storage {
namespace {

using columns::TypeKind;

class FileListing : public ParquetFixture {
 protected:
  static std::shared_ptr<arrow::Table> Numbers(int64_t rows, int32_t from = 0) {
    return TableOf({{"k", Int32s(rows, [=](int64_t i) { return int32_t(from + i); })}});
  }
  std::string Text(const arrow::Table& table, int column, int64_t row) {
    return table.column(column)->GetScalar(row).ValueOrDie()->ToString();
  }
};

TEST_F(FileListing, ReadsManyFilesInOrder) {
  WriteFile("d/b.parquet", *Numbers(10, 100));
  WriteFile("d/a.parquet", *Numbers(10));
  SetContent(Path("d/_SUCCESS"), "");
  auto source = Open(Path("d")).ValueOrDie();
  EXPECT_EQ(source->name(), "d");
  EXPECT_EQ(source->num_segments(), 2);
  const auto read = columns::ToArrow(*source).ValueOrDie();
  EXPECT_EQ(Text(*read, 0, 0), "0");
  EXPECT_EQ(Text(*read, 0, 19), "109");

  const std::vector<std::string> both{Path("d/b.parquet"), Path("d/a.parquet")};
  auto listed = ParquetTable::Open(both, {&budget_, nullptr}).ValueOrDie();
  EXPECT_EQ(Text(*columns::ToArrow(*listed).ValueOrDie(), 0, 0), "100");
}

TEST_F(FileListing, FoldersBecomeColumns) {
  WriteFile("t/year=2024/city=New%20York/a.parquet", *Numbers(3));
  WriteFile("t/year=2025/city=__HIVE_DEFAULT_PARTITION__/a.parquet", *Numbers(2));
  auto source = Open(Path("t")).ValueOrDie();
  ASSERT_EQ(source->schema().num_fields(), 3);
  EXPECT_EQ(source->schema().fields[1],
            (columns::Field{"year", columns::Type::Of(TypeKind::kInt32), true}));
  EXPECT_EQ(source->schema().fields[2].type.kind, TypeKind::kString);
  EXPECT_EQ(source->zone(0, 1).min, 2024);
  EXPECT_EQ(source->zone(1, 1).max, 2025);
  EXPECT_EQ(source->layout(1)->width, 1);
  EXPECT_EQ(source->layout(2)->encoding, columns::Encoding::kCodes);
  EXPECT_TRUE(source->dictionary_complete(2));
  const auto read = columns::ToArrow(*source).ValueOrDie();
  EXPECT_EQ(Text(*read, 1, 0), "2024");
  EXPECT_EQ(Text(*read, 2, 2), "New York");
  EXPECT_EQ(Text(*read, 1, 4), "2025");
  EXPECT_EQ(Text(*read, 2, 4), "null");
}

TEST_F(FileListing, InfersTheTypeFromAllValues) {
  const auto kind = [](std::vector<std::string> values) {
    std::vector<ListedFile> files;
    for (auto& value : values) files.push_back({"f", {{"p", value}}});
    return PartitionColumns(files)[0].field.type.kind;
  };
  EXPECT_EQ(kind({"1", "-7"}), TypeKind::kInt32);
  EXPECT_EQ(kind({"1", "3000000000"}), TypeKind::kInt64);
  EXPECT_EQ(kind({"2024-02-29", "1969-12-31"}), TypeKind::kDate);
  EXPECT_EQ(kind({"2023-02-29"}), TypeKind::kString);
  EXPECT_EQ(kind({"01", "2"}), TypeKind::kString);
  EXPECT_EQ(kind({"1", "x"}), TypeKind::kString);
}

TEST_F(FileListing, DatePartitionsAreDays) {
  WriteFile("t/day=1970-01-02/a.parquet", *Numbers(1));
  auto source = Open(Path("t")).ValueOrDie();
  EXPECT_EQ(source->zone(1).min, 1);
}

TEST_F(FileListing, DifferentKeysDoNotMix) {
  WriteFile("t/a=1/x.parquet", *Numbers(1));
  WriteFile("t/b=1/x.parquet", *Numbers(1));
  EXPECT_EQ(base::CodeOf(Open(Path("t")).status()), base::ErrorCode::kSchemaMismatch);
}

TEST_F(FileListing, ColumnsAreWidenedAndMissingOnesAreNull) {
  WriteFile("t/1.parquet", *TableOf({{"k", Int32s(2, [](int64_t i) { return int32_t(i); })}}));
  const auto wide = Build(
      arrow::Int64Builder(), 2, [](int64_t i) { return INT64_MAX - i; },
      [](int64_t) { return false; });
  WriteFile("t/2.parquet", *TableOf({{"s", Strings(2, [](int64_t) { return "x"; })}, {"k", wide}}));
  auto source = Open(Path("t")).ValueOrDie();
  EXPECT_EQ(source->schema().fields[0].type.kind, TypeKind::kInt64);
  EXPECT_EQ(source->layout(0)->width, 1);
  const auto read = columns::ToArrow(*source).ValueOrDie();
  EXPECT_EQ(Text(*read, 0, 1), "1");
  EXPECT_EQ(Text(*read, 0, 2), std::to_string(INT64_MAX));
  EXPECT_EQ(Text(*read, 1, 0), "null");
  EXPECT_EQ(Text(*read, 1, 3), "x");
}

TEST_F(FileListing, TypesThatDoNotMeetNameFileAndColumn) {
  WriteFile("t/1.parquet", *Numbers(2));
  WriteFile("t/2.parquet", *TableOf({{"k", Strings(2, [](int64_t) { return "x"; })}}));
  const base::Status status = Open(Path("t")).status();
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kSchemaMismatch);
  EXPECT_NE(status.message().find("2.parquet"), std::string::npos);
  EXPECT_NE(status.message().find("column k"), std::string::npos);
}

}  // namespace
}  // namespace shadowvm::storage
