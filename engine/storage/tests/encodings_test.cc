// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/util/decimal.h>

#include <limits>
#include <tuple>

#include "engine/columns/type_mapping.h"
#include "engine/storage/tests/parquet_fixture.h"

namespace shadowvm::storage {
namespace {

constexpr int64_t kRows = 5003;

enum class Nulls { kNone, kSome, kAll };
enum class Values { kPlain, kDictionary, kDelta, kStreamSplit };

using Case = std::tuple<Nulls, Values, parquet::ParquetDataPageVersion, arrow::Compression::type>;

// Every type, written every way: what comes back must be what went in.
class Encodings : public ParquetFixture, public testing::WithParamInterface<Case> {
 protected:
  static bool IsNull(int64_t i) {
    switch (std::get<0>(GetParam())) {
      case Nulls::kNone:
        return false;
      case Nulls::kAll:
        return true;
      default:
        return (i / 50) % 3 == 0 || i % 7 == 0;
    }
  }

  template <typename Builder, typename Function>
  static std::shared_ptr<arrow::Array> Column(Builder builder, Function value) {
    return Build(std::move(builder), kRows, value, IsNull);
  }

  template <typename T>
  static T Spread(int64_t i) {
    if (i == 10) return std::numeric_limits<T>::min();
    if (i == 20) return std::numeric_limits<T>::max();
    return static_cast<T>(i % 97 - 40);
  }

  static std::shared_ptr<arrow::Array> Decimals(int precision, int scale) {
    arrow::Decimal128 most = arrow::Decimal128::GetMaxValue(precision);
    return Column(arrow::Decimal128Builder(arrow::decimal128(precision, scale)), [=](int64_t i) {
      if (i == 1) return most;
      if (i == 2) return arrow::Decimal128(-most);
      return arrow::Decimal128(i % 90 - 45);
    });
  }

  static std::shared_ptr<arrow::Table> AllTypes() {
    const auto micros = arrow::timestamp(arrow::TimeUnit::MICRO);
    const auto utc = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    auto* pool = arrow::default_memory_pool();
    return TableOf({
        {"bool", Column(arrow::BooleanBuilder(), [](int64_t i) { return i % 3 == 0; })},
        {"int8", Column(arrow::Int8Builder(), Spread<int8_t>)},
        {"int16", Column(arrow::Int16Builder(), Spread<int16_t>)},
        {"int32", Column(arrow::Int32Builder(), Spread<int32_t>)},
        {"int64", Column(arrow::Int64Builder(), Spread<int64_t>)},
        {"narrow", Column(arrow::Int64Builder(), [](int64_t i) { return 1'000'000 + i % 300; })},
        {"float", Column(arrow::FloatBuilder(), [](int64_t i) { return float(i % 50) / 4; })},
        {"double", Column(arrow::DoubleBuilder(), [](int64_t i) { return double(i % 50) / 8; })},
        {"dec9", Decimals(9, 2)},
        {"dec18", Decimals(18, 4)},
        {"dec38", Decimals(38, 10)},
        {"date", Column(arrow::Date32Builder(), [](int64_t i) { return int32_t(i % 900 - 400); })},
        {"wall", Column(arrow::TimestampBuilder(micros, pool), [](int64_t i) { return i * i; })},
        {"instant", Column(arrow::TimestampBuilder(utc, pool), [](int64_t i) { return -i; })},
        {"string", Column(arrow::StringBuilder(),
                          [](int64_t i) { return std::string(i % 12, 'a' + char(i % 26)); })},
        {"text", Column(arrow::StringBuilder(), [](int64_t i) { return std::to_string(i); })},
        {"binary",
         Column(arrow::BinaryBuilder(), [](int64_t i) { return std::string(1, char(i % 256)); })},
    });
  }

  static parquet::WriterProperties::Builder Properties() {
    const auto [nulls, values, version, codec] = GetParam();
    parquet::WriterProperties::Builder builder;
    builder.data_page_version(version)->compression(codec)->data_pagesize(2000);
    if (values == Values::kDictionary) return builder;
    builder.disable_dictionary();
    for (const char* name :
         {"int8", "int16", "int32", "int64", "narrow", "date", "wall", "instant"}) {
      if (values == Values::kDelta) builder.encoding(name, parquet::Encoding::DELTA_BINARY_PACKED);
    }
    if (values == Values::kDelta) {
      builder.encoding("bool", parquet::Encoding::RLE);
      builder.encoding("string", parquet::Encoding::DELTA_BYTE_ARRAY);
      builder.encoding("text", parquet::Encoding::DELTA_LENGTH_BYTE_ARRAY);
    }
    if (values == Values::kStreamSplit) {
      for (const char* name : {"float", "double", "int32", "int64", "dec38"}) {
        builder.encoding(name, parquet::Encoding::BYTE_STREAM_SPLIT);
      }
    }
    return builder;
  }
};

TEST_P(Encodings, ReadBackEqual) {
  const auto table = AllTypes();
  const auto integers = parquet::ArrowWriterProperties::Builder().build();
  ExpectReads(WriteFile("a.parquet", *table, Properties(), 2000, integers), *table);
  parquet::WriterProperties::Builder small = Properties();
  small.enable_store_decimal_as_integer();
  if (std::get<1>(GetParam()) == Values::kDelta) {
    small.encoding("dec9", parquet::Encoding::DELTA_BINARY_PACKED);
    small.encoding("dec18", parquet::Encoding::DELTA_BINARY_PACKED);
  }
  ExpectReads(WriteFile("b.parquet", *table, small, 5003, integers), *table);
}

INSTANTIATE_TEST_SUITE_P(All, Encodings,
                         testing::Combine(testing::Values(Nulls::kNone, Nulls::kSome, Nulls::kAll),
                                          testing::Values(Values::kPlain, Values::kDictionary,
                                                          Values::kDelta, Values::kStreamSplit),
                                          testing::Values(parquet::ParquetDataPageVersion::V1,
                                                          parquet::ParquetDataPageVersion::V2),
                                          testing::Values(arrow::Compression::UNCOMPRESSED,
                                                          arrow::Compression::SNAPPY,
                                                          arrow::Compression::ZSTD)));

class OddTypes : public ParquetFixture {};

TEST_F(OddTypes, OldTimestampsAreInstants) {
  const auto nanos = arrow::timestamp(arrow::TimeUnit::MICRO);
  const auto table =
      TableOf({{"t", Build(
                         arrow::TimestampBuilder(nanos, arrow::default_memory_pool()), 100,
                         [](int64_t i) { return (i - 50) * 86'399'999'999; },
                         [](int64_t i) { return i == 7; })}});
  const auto old =
      parquet::ArrowWriterProperties::Builder().enable_deprecated_int96_timestamps()->build();
  auto read = ReadBack(WriteFile("t.parquet", *table, {}, 1000, old)).ValueOrDie();
  EXPECT_TRUE(
      read->schema()->field(0)->type()->Equals(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")));
  const auto& in = static_cast<const arrow::TimestampArray&>(*table->column(0)->chunk(0));
  const auto& out = static_cast<const arrow::TimestampArray&>(*read->column(0)->chunk(0));
  for (int64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(in.IsNull(i), out.IsNull(i));
    if (in.IsNull(i)) continue;
    ASSERT_EQ(in.Value(i), out.Value(i)) << i;
  }
}

TEST_F(OddTypes, UnitsAndUnsignedIntegersAreConverted) {
  const auto millis = arrow::timestamp(arrow::TimeUnit::MILLI);
  const auto nanos = arrow::timestamp(arrow::TimeUnit::NANO);
  auto* pool = arrow::default_memory_pool();
  const auto never = [](int64_t) { return false; };
  const auto table = TableOf(
      {{"ms",
        Build(
            arrow::TimestampBuilder(millis, pool), 10, [](int64_t i) { return i - 5; }, never)},
       {"ns", Build(
                  arrow::TimestampBuilder(nanos, pool), 10,
                  [](int64_t i) { return i * 500 - 2000; }, never)},
       {"u8",
        Build(
            arrow::UInt8Builder(), 10, [](int64_t i) { return uint8_t(250 + i % 6); }, never)},
       {"u32", Build(
                   arrow::UInt32Builder(), 10,
                   [](int64_t i) { return uint32_t(4294967290u + i % 6); }, never)}});
  auto read = ReadBack(WriteFile("t.parquet", *table)).ValueOrDie();
  const auto at = [&](int column, int64_t row) {
    return read->column(column)->GetScalar(row).ValueOrDie()->ToString();
  };
  EXPECT_EQ(at(0, 0), "1969-12-31 23:59:59.995000");
  EXPECT_EQ(at(1, 0), "1969-12-31 23:59:59.999998");
  EXPECT_EQ(at(1, 1), "1969-12-31 23:59:59.999998");
  EXPECT_EQ(at(2, 5), "255");
  EXPECT_EQ(at(3, 5), "4294967295");
}

TEST_F(OddTypes, AColumnWeCannotHoldIsLeftOutAndNamed) {
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  ASSERT_TRUE(lists.Append().ok());
  const auto list = lists.Finish().ValueOrDie();
  const auto one = Int32s(1, [](int64_t) { return 1; });
  auto source = Open(WriteFile("t.parquet", *TableOf({{"tags", list}, {"k", one}}))).ValueOrDie();
  EXPECT_EQ(source->schema().num_fields(), 1);
  ASSERT_EQ(source->schema().left_out.size(), 1u);
  EXPECT_EQ(source->schema().left_out[0].name, "tags");
  EXPECT_NE(source->schema().left_out[0].type.find("list"), std::string::npos);
  EXPECT_TRUE(columns::ToArrow(*source).ValueOrDie()->Equals(*TableOf({{"k", one}})));

  const auto status = Open(WriteFile("only.parquet", *TableOf({{"tags", list}}))).status();
  EXPECT_EQ(base::CodeOf(status), base::ErrorCode::kUnsupportedType);
  EXPECT_NE(status.message().find("tags"), std::string::npos);
}

}  // namespace
}  // namespace shadowvm::storage
