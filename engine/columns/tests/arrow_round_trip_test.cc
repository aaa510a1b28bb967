// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/api.h>
#include <arrow/json/from_string.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/columns/arrow_export.h"
#include "engine/columns/arrow_import.h"
#include "engine/columns/type_mapping.h"

namespace shadowvm::columns {
namespace {

constexpr int64_t kPlenty = int64_t{4} << 30;

struct Case {
  const char* name;
  std::shared_ptr<arrow::DataType> type;
  const char* json;
};

class RoundTrip : public testing::TestWithParam<Case> {
 protected:
  // Imports, exports and compares; also what came out must own its memory.
  static void Expect(const arrow::ArrayVector& chunks, std::shared_ptr<arrow::DataType> type) {
    const auto chunked = std::make_shared<arrow::ChunkedArray>(chunks, type);
    const auto table = arrow::Table::Make(arrow::schema({arrow::field("c", type)}), {chunked});
    std::shared_ptr<arrow::Table> back;
    {
      memory::MemoryBudget budget(kPlenty);
      auto imported = FromArrow("t", *table, &budget).ValueOrDie();
      EXPECT_EQ(imported->num_rows(), chunked->length());
      back = ToArrow(*imported).ValueOrDie();
    }
    ASSERT_TRUE(back->ValidateFull().ok()) << back->ValidateFull().ToString();
    EXPECT_TRUE(back->Equals(*table)) << back->ToString() << table->ToString();
  }
};

TEST_P(RoundTrip, ValuesWithNulls) {
  const auto array =
      arrow::json::ArrayFromJSONString(GetParam().type, GetParam().json).ValueOrDie();
  Expect({array}, array->type());
}

TEST_P(RoundTrip, SlicesInSeveralChunks) {
  const auto array =
      arrow::json::ArrayFromJSONString(GetParam().type, GetParam().json).ValueOrDie();
  Expect({array->Slice(1), array->Slice(0, 0), array->Slice(0, 2), array}, array->type());
}

TEST_P(RoundTrip, EmptyAndAllNull) {
  const auto type = GetParam().type;
  Expect({}, type);
  Expect({arrow::MakeArrayOfNull(type, 0).ValueOrDie()}, type);
  Expect({arrow::MakeArrayOfNull(type, 13).ValueOrDie()}, type);
}

TEST_P(RoundTrip, SeveralSegments) {
  const auto array =
      arrow::json::ArrayFromJSONString(GetParam().type, GetParam().json).ValueOrDie();
  const int64_t times = kSegmentRows / array->length() + 2;
  Expect(arrow::ArrayVector(times, array), array->type());
}

INSTANTIATE_TEST_SUITE_P(
    AllTypes, RoundTrip,
    testing::Values(
        Case{"bool", arrow::boolean(), "[true, null, false, true]"},
        Case{"int8", arrow::int8(), "[-128, 127, null, 0]"},
        Case{"int16", arrow::int16(), "[-32768, null, 32767]"},
        Case{"int32", arrow::int32(), "[2147483647, -2147483648, null]"},
        Case{"int64", arrow::int64(), "[9223372036854775807, -9223372036854775808, null, 0]"},
        Case{"narrow_int64", arrow::int64(), "[9223372036854775807, 9223372036854775800, null]"},
        Case{"float", arrow::float32(), "[1.5, null, -0.0, 3.4e38]"},
        Case{"double", arrow::float64(), "[1.5, null, -0.0, 1e308]"},
        Case{"decimal9", arrow::decimal128(9, 2), R"(["1234567.89", null, "-0.01"])"},
        Case{"decimal18", arrow::decimal128(18, 0),
             R"(["999999999999999999", null, "-999999999999999999"])"},
        Case{"decimal38", arrow::decimal128(38, 10),
             R"(["9999999999999999999999999999.9999999999", null,
                 "-9999999999999999999999999999.9999999999", "0.0000000001"])"},
        Case{"date", arrow::date32(), "[0, -719162, null, 2932896]"},
        Case{"instant", arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
             "[0, null, -62135596800000000, 253402300799999999]"},
        Case{"wall_clock", arrow::timestamp(arrow::TimeUnit::MICRO), "[1, null, 3]"},
        Case{"string", arrow::utf8(), R"(["", null, "abc", "żółć", "a longer string than most"])"},
        Case{"binary", arrow::binary(), R"(["x", null, "", "yz"])"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RoundTripText, ManyDistinctStringsStayWhole) {
  arrow::StringBuilder builder;
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(builder.Append("string " + std::to_string(i)).ok());
  ASSERT_TRUE(builder.AppendNull().ok());
  const auto array = builder.Finish().ValueOrDie();
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("c", array->type())}),
                                              array->length(), arrow::ArrayVector{array});
  memory::MemoryBudget budget(kPlenty);
  auto table = FromArrow("t", *batch, &budget).ValueOrDie();
  EXPECT_EQ(table->layout(0)->encoding, Encoding::kText);
  const auto batches = ToArrowBatches(*table).ValueOrDie();
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_TRUE(batches[0]->Equals(*batch));
}

}  // namespace
}  // namespace shadowvm::columns
