// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/fault.h"
#include "engine/columns/frame.h"
#include "engine/storage/page_index.h"
#include "engine/storage/tests/parquet_fixture.h"

namespace shadowvm::storage {
namespace {

constexpr int64_t kRows = 200'000;

class PageSkipping : public ParquetFixture {
 protected:
  static std::shared_ptr<arrow::Table> Sorted() {
    return TableOf({{"k", Int32s(kRows, [](int64_t i) { return int32_t(i); })},
                    {"v", Int32s(kRows, [](int64_t i) { return int32_t(i * 7); })},
                    {"s", Strings(kRows, [](int64_t i) { return "row " + std::to_string(i); })}});
  }
  static parquet::WriterProperties::Builder Indexed() {
    parquet::WriterProperties::Builder builder;
    builder.enable_write_page_index()->data_pagesize(4096);
    return builder;
  }

  // Every row that meets k in [min, max] is live and holds its values.
  static void ExpectRight(columns::TableSource& source, const columns::Segment& segment,
                          int64_t min, int64_t max) {
    for (int64_t row = min; row <= max; ++row) {
      ASSERT_TRUE(Overlaps(segment.live, row, row + 1)) << row;
      const columns::ColumnSegment& value = *segment.columns[1];
      const int width = source.layout(1)->width;
      ASSERT_EQ(value.base + int64_t(columns::LoadOffset(value.data->data(), width, row)), row * 7);
      const columns::ColumnSegment& text = *segment.columns[2];
      const auto* offsets = text.offsets->as<uint32_t>();
      ASSERT_EQ(
          std::string_view(text.data->as<char>() + offsets[row], offsets[row + 1] - offsets[row]),
          "row " + std::to_string(row));
    }
  }
  const std::vector<int> columns_{0, 1, 2};
};

TEST_F(PageSkipping, ReadsOnlyPagesThatMayMatch) {
  for (const int64_t group : {kRows, int64_t{30'000}}) {
    auto source = Open(WriteFile("t.parquet", *Sorted(), Indexed(), group)).ValueOrDie();
    ASSERT_EQ(source->num_segments(), 1);
    const std::vector<columns::ZoneFilter> filters{{0, 70'000, 70'500}};
    const auto segment = source->Read(0, columns_, filters, nullptr).ValueOrDie();
    ASSERT_EQ(segment->live.size(), 1u);
    EXPECT_LT(CountRows(segment->live), 25'000);
    ExpectRight(*source, *segment, 70'000, 70'500);
  }
}

TEST_F(PageSkipping, SeveralFiltersMeet) {
  auto source = Open(WriteFile("t.parquet", *Sorted(), Indexed())).ValueOrDie();
  const std::vector<columns::ZoneFilter> filters{{0, 0, 100'000}, {1, 7 * 99'000, INT64_MAX}};
  const auto segment = source->Read(0, columns_, filters, nullptr).ValueOrDie();
  ExpectRight(*source, *segment, 99'000, 100'000);
  const std::vector<columns::ZoneFilter> apart{{0, 0, 1000}, {1, 7 * 150'000, INT64_MAX}};
  const auto nothing = source->Read(0, columns_, apart, nullptr).ValueOrDie();
  EXPECT_EQ(nothing->live, (RowRanges{{0, 0}}));
}

TEST_F(PageSkipping, WithoutAnIndexRowGroupsAreSkipped) {
  parquet::WriterProperties::Builder plain;
  plain.disable_write_page_index();
  auto source = Open(WriteFile("t.parquet", *Sorted(), plain, 50'000)).ValueOrDie();
  const std::vector<columns::ZoneFilter> filters{{0, 60'000, 60'001}};
  const auto segment = source->Read(0, columns_, filters, nullptr).ValueOrDie();
  EXPECT_EQ(segment->live, (RowRanges{{50'000, 100'000}}));
  ExpectRight(*source, *segment, 60'000, 60'001);
}

TEST_F(PageSkipping, SkippedPagesAreNotDecompressed) {
  auto source = Open(WriteFile("t.parquet", *Sorted(), Indexed())).ValueOrDie();
  const std::vector<int> one{1};
  const int64_t start = base::FaultHits("storage.page.decompress");
  ASSERT_TRUE(source->Read(0, one, {}, nullptr).ok());
  const int64_t all = base::FaultHits("storage.page.decompress") - start;
  const std::vector<columns::ZoneFilter> filters{{0, 70'000, 70'500}};
  ASSERT_TRUE(source->Read(0, one, filters, nullptr).ok());
  EXPECT_LT(base::FaultHits("storage.page.decompress") - start - all, all / 2);
}

TEST_F(PageSkipping, PartialSegmentsAreNotCached) {
  const std::vector<std::string> paths{WriteFile("t.parquet", *Sorted(), Indexed())};
  SegmentCache cache(&budget_, 1000);
  TableRegistry registry({&budget_, &cache});
  auto source = registry.Open(paths).ValueOrDie();
  const std::vector<columns::ZoneFilter> filters{{0, 5, 6}};
  const auto segment = source->Read(0, columns_, filters, nullptr).ValueOrDie();
  EXPECT_FALSE(segment->live.empty());
  EXPECT_EQ(cache.counters().entries, 0);
}

TEST_F(PageSkipping, WhereTheCacheHasRoomTheWholeSegmentIsReadAndKept) {
  const std::vector<std::string> paths{WriteFile("t.parquet", *Sorted(), Indexed())};
  SegmentCache cache(&budget_, int64_t{64} << 20);
  TableRegistry registry({&budget_, &cache});
  auto source = registry.Open(paths).ValueOrDie();
  const std::vector<columns::ZoneFilter> filters{{0, 5, 6}};
  EXPECT_TRUE(source->Read(0, columns_, filters, nullptr).ValueOrDie()->live.empty());
  EXPECT_EQ(cache.counters().entries, 3);
}

TEST_F(PageSkipping, AResidentSegmentIsServedWithoutTheFile) {
  const std::vector<std::string> paths{WriteFile("t.parquet", *Sorted(), Indexed())};
  const std::vector<int> numbers{0, 1};
  SegmentCache cache(&budget_, 2 * 4 * kRows);  // just these two
  TableRegistry registry({&budget_, &cache});
  auto source = registry.Open(paths).ValueOrDie();
  ASSERT_TRUE(source->Read(0, numbers, {}, nullptr).ok());
  ASSERT_EQ(cache.counters().entries, 2);
  const std::vector<columns::ZoneFilter> filters{{0, 5, 6}};
  ASSERT_TRUE(base::ArmFaults("storage.open=always:error").ok());
  const auto again = source->Read(0, numbers, filters, nullptr);
  base::DisarmFaults();
  EXPECT_TRUE(again.ok()) << again.status().ToString();
}

TEST(RowRanges, Intersect) {
  EXPECT_EQ(Intersect({{0, 10}, {20, 30}}, {{5, 25}}), (RowRanges{{5, 10}, {20, 25}}));
  EXPECT_EQ(Intersect({{0, 10}}, {{10, 20}}), RowRanges());
}

}  // namespace
}  // namespace shadowvm::storage
