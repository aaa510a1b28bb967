// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/arrow_import.h"

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include "engine/base/fault.h"
#include "engine/columns/arrow_export.h"
#include "engine/columns/frame.h"

namespace shadowvm::columns {
namespace {

constexpr int64_t kPlenty = int64_t{4} << 30;

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const char* json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

base::Result<std::shared_ptr<MemoryTable>> Import(const std::shared_ptr<arrow::Array>& array,
                                                  memory::MemoryBudget* budget) {
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("c", array->type())}),
                                              array->length(), arrow::ArrayVector{array});
  return FromArrow("t", *batch, budget);
}

// What 'array' becomes must equal 'expected', given in the type it is mapped to.
void ExpectBecomes(const std::shared_ptr<arrow::Array>& array,
                   const std::shared_ptr<arrow::Array>& expected) {
  memory::MemoryBudget budget(kPlenty);
  auto table = Import(array, &budget).ValueOrDie();
  auto back = ToArrow(*table).ValueOrDie()->column(0)->chunk(0);
  EXPECT_TRUE(back->Equals(expected)) << back->ToString();
}

TEST(ArrowImport, ConvertsToOurTypes) {
  ExpectBecomes(FromJson(arrow::uint8(), "[255, null]"), FromJson(arrow::int16(), "[255, null]"));
  ExpectBecomes(FromJson(arrow::uint32(), "[4294967295]"),
                FromJson(arrow::int64(), "[4294967295]"));
  ExpectBecomes(FromJson(arrow::uint64(), "[9223372036854775807]"),
                FromJson(arrow::int64(), "[9223372036854775807]"));
  ExpectBecomes(FromJson(arrow::date64(), "[-86400000, null, 86400000]"),
                FromJson(arrow::date32(), "[-1, null, 1]"));
  const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
  ExpectBecomes(FromJson(arrow::timestamp(arrow::TimeUnit::SECOND), "[-2, null]"),
                FromJson(micros, "[-2000000, null]"));
  ExpectBecomes(FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[-1, 1999]"),
                FromJson(micros, "[-1, 1]"));
  ExpectBecomes(FromJson(arrow::decimal256(38, 1), R"(["-1234567890123456789012345.6", null])"),
                FromJson(arrow::decimal128(38, 1), R"(["-1234567890123456789012345.6", null])"));
  ExpectBecomes(FromJson(arrow::decimal64(12, 2), R"(["-12.34", null])"),
                FromJson(arrow::decimal128(12, 2), R"(["-12.34", null])"));
  ExpectBecomes(FromJson(arrow::decimal32(5, 2), R"(["-12.34"])"),
                FromJson(arrow::decimal128(5, 2), R"(["-12.34"])"));
  for (const auto& type : {arrow::large_utf8(), arrow::utf8_view()}) {
    ExpectBecomes(FromJson(type, R"(["a", null, "a rather long string"])"),
                  FromJson(arrow::utf8(), R"(["a", null, "a rather long string"])"));
  }
  ExpectBecomes(FromJson(arrow::fixed_size_binary(2), R"(["ab", null])"),
                FromJson(arrow::binary(), R"(["ab", null])"));
}

TEST(ArrowImport, TakesDictionariesApart) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto array =
      arrow::DictionaryArray::FromArrays(type, FromJson(arrow::int8(), "[1, null, 0, 1]"),
                                         FromJson(arrow::utf8(), R"(["x", "y"])"))
          .ValueOrDie();
  ExpectBecomes(array, FromJson(arrow::utf8(), R"(["y", null, "x", "y"])"));
}

TEST(ArrowImport, RefusesValuesThatDoNotFitAndNamesTheColumn) {
  memory::MemoryBudget budget(kPlenty);
  const auto huge = Import(FromJson(arrow::uint64(), "[9223372036854775808]"), &budget).status();
  EXPECT_EQ(base::CodeOf(huge), base::ErrorCode::kCastOverflow);
  EXPECT_NE(huge.message().find("column c"), std::string::npos);
  const auto far = FromJson(arrow::timestamp(arrow::TimeUnit::SECOND), "[9223372036854775807]");
  EXPECT_EQ(base::CodeOf(Import(far, &budget).status()), base::ErrorCode::kCastOverflow);
}

TEST(ArrowImport, OneWidthPerTableOneBasePerSegment) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < 2 * kSegmentRows; ++i) {
    ASSERT_TRUE(builder.Append((i / kSegmentRows) * 1'000'000 + i % 200).ok());
  }
  memory::MemoryBudget budget(kPlenty);
  auto table = Import(builder.Finish().ValueOrDie(), &budget).ValueOrDie();
  ASSERT_EQ(table->num_segments(), 2);
  EXPECT_EQ(*table->layout(0), (Layout{Encoding::kFrame, 1, false}));
  EXPECT_EQ(table->column(0).segments[1]->base, 1'000'000);
  EXPECT_EQ(table->zone(1, 0).max, 1'000'199);
  EXPECT_EQ(table->zone(0).min, 0);
  EXPECT_EQ(table->zone(0).max, 1'000'199);
  EXPECT_EQ(table->zone(0).null_count, 0);
}

TEST(ArrowImport, NullRowsStayInsideTheFrame) {
  memory::MemoryBudget budget(kPlenty);
  auto table = Import(FromJson(arrow::int64(), "[1000, null, 1001]"), &budget).ValueOrDie();
  const auto& segment = *table->column(0).segments[0];
  EXPECT_LE(LoadOffset(segment.data->data(), table->layout(0)->width, 1),
            RangeOf(segment.base, segment.zone.max));
  EXPECT_EQ(segment.zone.null_count, 1);
}

TEST(ArrowImport, NullCodesExistInAnEmptyDictionary) {
  memory::MemoryBudget budget(kPlenty);
  auto table = Import(FromJson(arrow::utf8(), "[null, null]"), &budget).ValueOrDie();
  EXPECT_GT(table->dictionary(0)->size(), 0u);
}

TEST(ArrowImport, RunsOutOfBudgetWithoutALeak) {
  memory::MemoryBudget budget(1 << 20);
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < kSegmentRows; ++i) ASSERT_TRUE(builder.Append(i * i).ok());
  const auto status = Import(builder.Finish().ValueOrDie(), &budget).status();
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kOutOfMemory);
  EXPECT_EQ(budget.used(), 0);
}

TEST(ArrowImport, InjectedFaultsComeBackAsErrors) {
  memory::MemoryBudget budget(kPlenty);
  for (const char* point : {"columns.import", "columns.dictionary", "memory.buffer"}) {
    ASSERT_TRUE(base::ArmFaults(std::string(point) + "=always:error").ok());
    EXPECT_FALSE(Import(FromJson(arrow::utf8(), R"(["a"])"), &budget).ok()) << point;
    base::DisarmFaults();
    EXPECT_EQ(budget.used(), 0);
  }
}

}  // namespace
}  // namespace shadowvm::columns
