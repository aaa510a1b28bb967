// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/parquet_table.h"

#include <arrow/json/from_string.h>

#include "engine/columns/frame.h"
#include "engine/storage/tests/parquet_fixture.h"

namespace shadowvm::storage {
namespace {

using columns::Encoding;

class ParquetTableTest : public ParquetFixture {};

TEST_F(ParquetTableTest, PacksSmallRowGroupsAndKeepsOneWidth) {
  const auto table = TableOf({{"k", Int32s(10'000, [](int64_t i) { return int32_t(i); })}});
  const std::string path = WriteFile("small.parquet", *table, {}, 1000);
  auto source = Open(path).ValueOrDie();
  EXPECT_EQ(source->name(), "small");
  EXPECT_EQ(source->num_segments(), 1);
  EXPECT_EQ(source->segment_rows(0), 10'000);
  EXPECT_EQ(*source->layout(0), (columns::Layout{Encoding::kFrame, 2, false}));
  EXPECT_EQ(source->zone(0).max, 9'999);
  ExpectReads(path, *table);
}

TEST_F(ParquetTableTest, SplitsALargeRowGroup) {
  const int64_t rows = columns::kSegmentRows * 5 / 2;
  const auto table =
      TableOf({{"k", Int32s(rows, [](int64_t i) { return int32_t(i * 7 % 1'000'003); })},
               {"s", Strings(rows, [](int64_t i) { return "s" + std::to_string(i % 100); })}});
  for (const bool index : {true, false}) {
    parquet::WriterProperties::Builder builder;
    index ? builder.enable_write_page_index() : builder.disable_write_page_index();
    const std::string path = WriteFile("large.parquet", *table, builder, rows);
    auto source = Open(path).ValueOrDie();
    ASSERT_EQ(source->num_segments(), 3);
    EXPECT_EQ(source->segment_rows(2), columns::kSegmentRows / 2);
    ExpectReads(path, *table);
  }
}

TEST_F(ParquetTableTest, WidthFollowsTheWidestSegment) {
  const int64_t rows = 2 * columns::kSegmentRows;
  const auto table = TableOf({{"k", Int32s(rows, [](int64_t i) {
                                 return int32_t(i / columns::kSegmentRows * 1'000'000 + i % 250);
                               })}});
  const std::string path = WriteFile("t.parquet", *table);
  auto source = Open(path).ValueOrDie();
  EXPECT_EQ(source->layout(0)->width, 1);
  const std::vector<int> columns{0};
  const auto segment = source->Read(1, columns, {}, nullptr).ValueOrDie();
  EXPECT_EQ(segment->columns[0]->base, 1'000'000);
  ExpectReads(path, *table);
}

TEST_F(ParquetTableTest, OptionalWithoutNullsIsNotNullable) {
  const auto full = TableOf({{"k", Int32s(10, [](int64_t i) { return int32_t(i); })}});
  EXPECT_FALSE(Open(WriteFile("full.parquet", *full)).ValueOrDie()->layout(0)->nullable);
  const auto holes =
      TableOf({{"k", Build(
                         arrow::Int32Builder(), 10, [](int64_t i) { return int32_t(i); },
                         [](int64_t i) { return i == 3; })}});
  EXPECT_TRUE(Open(WriteFile("holes.parquet", *holes)).ValueOrDie()->layout(0)->nullable);
}

TEST_F(ParquetTableTest, WithoutStatisticsEveryValueFits) {
  const auto table = TableOf(
      {{"a", arrow::json::ArrayFromJSONString(arrow::int64(),
                                              "[9223372036854775807, null, -9223372036854775808]")
                 .ValueOrDie()},
       {"b", arrow::json::ArrayFromJSONString(arrow::int8(), "[-128, 127, 0]").ValueOrDie()}});
  const std::string path = WriteFile("t.parquet", *table, *Plain().disable_statistics());
  auto source = Open(path).ValueOrDie();
  EXPECT_FALSE(source->zone(0).known);
  EXPECT_EQ(source->layout(0)->width, 8);
  EXPECT_EQ(source->layout(1)->width, 1);
  ExpectReads(path, *table);
}

TEST_F(ParquetTableTest, EmptyTablesAndZeroRows) {
  const auto none = TableOf(
      {{"k", Int32s(0, [](int64_t) { return 0; })}, {"s", Strings(0, [](int64_t) { return ""; })}});
  const std::string path = WriteFile("none.parquet", *none);
  auto source = Open(path).ValueOrDie();
  EXPECT_EQ(source->num_segments(), 0);
  EXPECT_EQ(source->num_rows(), 0);
  EXPECT_TRUE(source->layout(1).ok());
  ExpectReads(path, *none);
}

TEST_F(ParquetTableTest, StringsFollowTheDictionaryRule) {
  const auto table =
      TableOf({{"few", Strings(20'000, [](int64_t i) { return std::to_string(i % 7); })},
               {"many", Strings(20'000, [](int64_t i) { return std::to_string(i); })}});
  const std::string path = WriteFile("t.parquet", *table);
  auto source = Open(path).ValueOrDie();
  EXPECT_EQ(source->layout(0)->encoding, Encoding::kCodes);
  EXPECT_EQ(source->layout(1)->encoding, Encoding::kText);
  EXPECT_EQ(source->dictionary(0)->size(), 7u);
  EXPECT_TRUE(source->dictionary_complete(0));
  EXPECT_EQ(source->dictionary(1), nullptr);
  ExpectReads(path, *table);
}

TEST_F(ParquetTableTest, DictionaryGrowsOverSegments) {
  const int64_t rows = columns::kSegmentRows + 10;
  const auto table = TableOf({{"s", Strings(rows, [](int64_t i) {
                                 return i < columns::kSegmentRows ? "early" : "late";
                               })}});
  auto source = Open(WriteFile("t.parquet", *table)).ValueOrDie();
  ASSERT_TRUE(source->layout(0).ok());
  EXPECT_FALSE(source->dictionary_complete(0));
  const std::vector<int> columns{0};
  ASSERT_TRUE(source->Read(1, columns, {}, nullptr).ok());
  EXPECT_TRUE(source->dictionary_complete(0));
  EXPECT_EQ(source->dictionary(0)->at(1), "late");
}

TEST_F(ParquetTableTest, AFullDictionaryChangesTheLayoutOnce) {
  const int64_t rows = 3 * columns::kSegmentRows;
  const auto table =
      TableOf({{"s", Strings(rows, [](int64_t i) {
                  return i < columns::kSegmentRows ? std::string("x") : std::to_string(i);
                })}});
  const std::vector<std::string> paths{WriteFile("t.parquet", *table)};
  SegmentCache cache(&budget_, int64_t{1} << 30);
  TableRegistry registry({&budget_, &cache});
  auto source = registry.Open(paths).ValueOrDie();
  ASSERT_EQ(source->layout(0)->encoding, Encoding::kCodes);
  const std::vector<int> columns{0};
  base::Status status;
  for (int s = 0; s < 3 && status.ok(); ++s) {
    status = source->Read(s, columns, {}, nullptr).status();
  }
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kLayoutChanged);
  EXPECT_EQ(base::CodeOf(source->Read(0, columns, {}, nullptr).status()),
            base::ErrorCode::kLayoutChanged);
  EXPECT_EQ(cache.counters().entries, 0);

  auto again = registry.Open(paths).ValueOrDie();
  EXPECT_EQ(again->layout(0)->encoding, Encoding::kText);
  EXPECT_TRUE(columns::ToArrow(*again).ValueOrDie()->Equals(*table));
}

TEST_F(ParquetTableTest, FindsWhatIsResident) {
  const auto table = TableOf({{"k", Int32s(3'000'000, [](int64_t i) { return int32_t(i); })},
                              {"v", Int32s(3'000'000, [](int64_t i) { return int32_t(i % 7); })}});
  const std::vector<std::string> paths{WriteFile("t.parquet", *table)};
  SegmentCache cache(&budget_, int64_t{1} << 30);
  const auto source = ParquetTable::Open(paths, {&budget_, &cache}).ValueOrDie();
  ASSERT_GE(source->num_segments(), 3);
  const std::vector<int> both{0, 1}, first{0}, segments{2, 0, 1};
  ASSERT_TRUE(source->Read(0, both, {}, nullptr).ok());
  ASSERT_TRUE(source->Read(1, first, {}, nullptr).ok());
  const auto found = source->FindResident(segments, both);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], nullptr);
  EXPECT_EQ(found[2], nullptr);
  ASSERT_NE(found[1], nullptr);
  const auto read = source->Read(0, both, {}, nullptr).ValueOrDie();
  EXPECT_EQ(found[1]->num_rows, read->num_rows);
  EXPECT_EQ(found[1]->columns, read->columns);
  EXPECT_NE(source->FindResident(segments, first)[2], nullptr);
}

TEST_F(ParquetTableTest, CountsScanTimeAndBudget) {
  const auto table = TableOf({{"k", Int32s(100'000, [](int64_t i) { return int32_t(i); })}});
  auto source = Open(WriteFile("t.parquet", *table)).ValueOrDie();
  base::Spans spans;
  const std::vector<int> columns{0};
  {
    const auto segment = source->Read(0, columns, {}, &spans).ValueOrDie();
    EXPECT_GE(budget_.used(), segment->columns[0]->bytes());
  }
  EXPECT_GT(spans.Milliseconds(base::Stage::kScan), 0);
  EXPECT_EQ(budget_.used(), 0);

  memory::MemoryBudget small(1000);
  const std::vector<std::string> paths{Path("t.parquet")};
  auto poor = ParquetTable::Open(paths, {&small, nullptr}).ValueOrDie();
  EXPECT_EQ(base::CodeOf(poor->Read(0, columns, {}, nullptr).status()),
            base::ErrorCode::kOutOfMemory);
  EXPECT_EQ(small.used(), 0);
}

}  // namespace
}  // namespace shadowvm::storage
