// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/json/from_string.h>
#include <arrow/util/key_value_metadata.h>

#include <filesystem>

#include "engine/storage/file_identity.h"
#include "engine/storage/table_name.h"
#include "engine/storage/table_registry.h"
#include "engine/storage/tests/parquet_fixture.h"

namespace shadowvm::storage {
namespace {

using base::ErrorCode;
using columns::Field;
using columns::Type;
using columns::TypeKind;

constexpr int64_t kCacheBytes = int64_t{1} << 30;

class FileListTest : public ParquetFixture {
 protected:
  static std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                            const std::string& text) {
    return arrow::json::ArrayFromJSONString(type, text).ValueOrDie();
  }

  static SeenFile Seen(const std::string& path) {
    const FileIdentity identity = FileIdentity::Of(path).ValueOrDie();
    return {path, identity.size, identity.mtime_ns / 1'000'000};
  }
  static FileList ListOf(const std::vector<std::string>& paths, std::vector<Field> data) {
    FileList list;
    for (const auto& path : paths) list.files.push_back(Seen(path));
    list.data = std::move(data);
    return list;
  }
  static Field Of(std::string name, Type type) { return {std::move(name), type, true}; }
  static Field Of(std::string name, TypeKind kind) { return Of(std::move(name), Type::Of(kind)); }

  std::string WriteColumn(const std::string& file, const std::string& name,
                          const std::shared_ptr<arrow::Array>& array) const {
    return WriteFile(file, *TableOf({{name, array}}));
  }

  // The only column of a list as Arrow reads it, in JSON-like text.
  std::string ReadText(const FileList& list) {
    auto table = registry_.Open(list);
    if (!table.ok()) return table.status().ToString();
    auto read = columns::ToArrow(**table);
    if (!read.ok()) return read.status().ToString();
    EXPECT_TRUE((*read)->num_columns() == 0 || (*read)->Validate().ok());
    std::string text;
    for (int64_t row = 0; row < (*read)->num_rows(); ++row) {
      for (int column = 0; column < (*read)->num_columns(); ++column) {
        text += (column > 0 ? "," : "") +
                (*read)->column(column)->GetScalar(row).ValueOrDie()->ToString();
      }
      text += " ";
    }
    return text;
  }

  ErrorCode CodeOf(const FileList& list) { return base::CodeOf(registry_.Open(list).status()); }
  std::string ErrorOf(const FileList& list) { return registry_.Open(list).status().ToString(); }

  SegmentCache cache_{&budget_, kCacheBytes};
  TableRegistry registry_{{&budget_, &cache_}};
};

TEST_F(FileListTest, FieldsComeInTheOrderAndTypesAskedFor) {
  const std::string path =
      WriteFile("t.parquet", *TableOf({{"A", Json(arrow::int8(), "[1, null, -3]")},
                                       {"b", Json(arrow::utf8(), "[\"x\", \"y\", null]")},
                                       {"c", Json(arrow::int64(), "[7, 8, 9]")}}));
  const FileList list = ListOf(
      {path}, {Of("C", TypeKind::kInt64), Of("a", TypeKind::kInt32), Of("B", TypeKind::kString)});
  const auto table = registry_.Open(list).ValueOrDie();
  EXPECT_EQ(table->schema().fields, list.data);
  EXPECT_EQ(ReadText(list), "7,1,x 8,null,y 9,-3,null ");
}

TEST_F(FileListTest, NamesCountTheirCaseWhenAsked) {
  const std::string path =
      WriteFile("t.parquet",
                *TableOf({{"A", Json(arrow::int32(), "[1]")}, {"a", Json(arrow::int32(), "[2]")}}));
  FileList list = ListOf({path}, {Of("a", TypeKind::kInt32)});
  EXPECT_EQ(CodeOf(list), ErrorCode::kUnsupported);
  EXPECT_NE(ErrorOf(list).find("ambiguous"), std::string::npos);
  list.case_sensitive = true;
  EXPECT_EQ(ReadText(list), "2 ");
}

TEST_F(FileListTest, NamesInOtherAlphabetsMatchExactlyOrNotAtAll) {
  const std::string path = WriteColumn("t.parquet", "année", Json(arrow::int32(), "[1]"));
  EXPECT_EQ(ReadText(ListOf({path}, {Of("année", TypeKind::kInt32)})), "1 ");
  EXPECT_EQ(CodeOf(ListOf({path}, {Of("ANNÉE", TypeKind::kInt32)})), ErrorCode::kUnsupported);
  EXPECT_EQ(CodeOf(ListOf({path}, {Of("other", TypeKind::kInt32)})), ErrorCode::kUnsupported);
}

TEST_F(FileListTest, AbsentColumnsAreNull) {
  const std::string one = WriteColumn("1.parquet", "a", Json(arrow::int32(), "[1, 2]"));
  const std::string two = WriteColumn("2.parquet", "b", Json(arrow::utf8(), "[\"x\"]"));
  FileList list = ListOf({two, one}, {Of("a", TypeKind::kInt32), Of("b", TypeKind::kString),
                                      Of("c", TypeKind::kString), Of("d", Type::Decimal(30, 2)),
                                      Of("e", TypeKind::kDouble)});
  EXPECT_EQ(ReadText(list), "1,null,null,null,null 2,null,null,null,null null,x,null,null,null ");
  list.data[0].nullable = false;
  EXPECT_NE(ErrorOf(list).find("may hold nulls"), std::string::npos);
}

TEST_F(FileListTest, NoFilesGiveNoRows) {
  const FileList list = ListOf({}, {Of("a", TypeKind::kInt32), Of("s", TypeKind::kString)});
  const auto table = registry_.Open(list).ValueOrDie();
  EXPECT_EQ(table->num_rows(), 0);
  EXPECT_TRUE(table->layout(1).ok());
  EXPECT_EQ(ReadText(list), "");
}

TEST_F(FileListTest, NothingButRowsCanBeAskedFor) {
  const std::string path = WriteColumn("t.parquet", "a", Json(arrow::int32(), "[1, 2]"));
  EXPECT_EQ(registry_.Open(ListOf({path}, {})).ValueOrDie()->num_rows(), 2);
}

TEST_F(FileListTest, ReadsWhatBothSparksWiden) {
  const auto i8 = WriteColumn("i8.parquet", "x", Json(arrow::int8(), "[-128, 127]"));
  const auto i16 = WriteColumn("i16.parquet", "x", Json(arrow::int16(), "[-32768]"));
  const auto u8 = WriteColumn("u8.parquet", "x", Json(arrow::uint8(), "[255]"));
  const auto u32 = WriteColumn("u32.parquet", "x", Json(arrow::uint32(), "[4294967295]"));
  EXPECT_EQ(ReadText(ListOf({i8}, {Of("x", TypeKind::kInt8)})), "-128 127 ");
  EXPECT_EQ(ReadText(ListOf({i16, i8}, {Of("x", TypeKind::kInt16)})), "-32768 -128 127 ");
  EXPECT_EQ(ReadText(ListOf({i16, i8, u8}, {Of("x", TypeKind::kInt32)})), "-32768 -128 127 255 ");
  EXPECT_EQ(ReadText(ListOf({u32}, {Of("x", TypeKind::kInt64)})), "4294967295 ");
  const auto binary = WriteColumn("b.parquet", "x", Json(arrow::binary(), "[\"ab\"]"));
  EXPECT_EQ(ReadText(ListOf({binary}, {Of("x", TypeKind::kString)})), "ab ");
}

TEST_F(FileListTest, DecimalsInEveryFormGainDigits) {
  const auto narrow = Json(arrow::decimal128(7, 2), "[\"-12345.67\", \"0.01\", null]");
  const auto wide = Json(arrow::decimal128(20, 2), "[\"123456789012345678.90\"]");
  parquet::WriterProperties::Builder integers;
  integers.enable_store_decimal_as_integer();
  const auto fixed = WriteFile("fixed.parquet", *TableOf({{"d", narrow}}));
  const auto int32 = WriteFile("int32.parquet", *TableOf({{"d", narrow}}), integers);
  const auto wides = WriteFile("wide.parquet", *TableOf({{"d", wide}}));
  EXPECT_EQ(ReadText(ListOf({int32}, {Of("d", Type::Decimal(9, 2))})), "-12345.67 0.01 null ");
  EXPECT_EQ(ReadText(ListOf({fixed}, {Of("d", Type::Decimal(12, 2))})), "-12345.67 0.01 null ");
  EXPECT_EQ(ReadText(ListOf({fixed, wides}, {Of("d", Type::Decimal(38, 2))})),
            "-12345.67 0.01 null 123456789012345678.90 ");
  EXPECT_EQ(CodeOf(ListOf({int32}, {Of("d", Type::Decimal(12, 2))})), ErrorCode::kUnsupported);
  EXPECT_EQ(CodeOf(ListOf({fixed}, {Of("d", Type::Decimal(7, 3))})), ErrorCode::kUnsupported);
  EXPECT_EQ(CodeOf(ListOf({fixed}, {Of("d", Type::Decimal(6, 2))})), ErrorCode::kUnsupported);
}

TEST_F(FileListTest, RefusesWhatEitherSparkRefuses) {
  const struct {
    std::shared_ptr<arrow::DataType> stored;
    std::string values;
    Type wanted;
  } cases[] = {
      {arrow::int32(), "[1]", Type::Of(TypeKind::kInt64)},
      {arrow::int32(), "[1]", Type::Of(TypeKind::kInt8)},
      {arrow::int32(), "[1]", Type::Of(TypeKind::kDouble)},
      {arrow::int32(), "[1]", Type::Of(TypeKind::kDate)},
      {arrow::int32(), "[1]", Type::Decimal(10, 0)},
      {arrow::int64(), "[1]", Type::Of(TypeKind::kInt32)},
      {arrow::uint32(), "[1]", Type::Of(TypeKind::kInt32)},
      {arrow::uint64(), "[1]", Type::Of(TypeKind::kInt64)},
      {arrow::float32(), "[1]", Type::Of(TypeKind::kDouble)},
      {arrow::float64(), "[1]", Type::Of(TypeKind::kFloat)},
      {arrow::date32(), "[1]", Type::Of(TypeKind::kInt32)},
      {arrow::timestamp(arrow::TimeUnit::NANO), "[1]", Type::Of(TypeKind::kTimestampNtz)},
      {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[1]", Type::Of(TypeKind::kTimestampNtz)},
      {arrow::utf8(), "[\"1\"]", Type::Of(TypeKind::kInt32)},
      {arrow::time32(arrow::TimeUnit::MILLI), "[1]", Type::Of(TypeKind::kInt32)},
      {arrow::list(arrow::int32()), "[[1]]", Type::Of(TypeKind::kInt32)},
      {arrow::boolean(), "[true]", Type::Of(TypeKind::kInt32)},
  };
  for (const auto& test : cases) {
    const std::string path = WriteColumn("t.parquet", "x", Json(test.stored, test.values));
    const FileList list = ListOf({path}, {Of("x", test.wanted)});
    EXPECT_EQ(CodeOf(list), ErrorCode::kUnsupported)
        << test.stored->ToString() << " as " << test.wanted.ToString() << ErrorOf(list);
    EXPECT_NE(ErrorOf(list).find(path + ": column x"), std::string::npos) << ErrorOf(list);
  }
}

TEST_F(FileListTest, TimesInMillisBecomeMicros) {
  const auto path = WriteColumn("t.parquet", "t",
                                Json(arrow::timestamp(arrow::TimeUnit::MILLI, "UTC"), "[1500]"));
  EXPECT_EQ(ReadText(ListOf({path}, {Of("t", TypeKind::kTimestamp)})),
            "1970-01-01 00:00:01.500000Z ");
}

// Files with Spark's marks, or without.
class CalendarTest : public FileListTest {
 protected:
  using Marks = std::vector<std::pair<std::string, std::string>>;

  std::string WriteMarked(const std::shared_ptr<arrow::Array>& array, const Marks& marks,
                          bool int96 = false) const {
    auto pairs = std::make_shared<arrow::KeyValueMetadata>();
    for (const auto& [key, value] : marks) pairs->Append("org.apache.spark." + key, value);
    const auto table = TableOf({{"t", array}})->ReplaceSchemaMetadata(pairs);
    parquet::ArrowWriterProperties::Builder properties;
    properties.store_schema();  // with which its metadata are written
    if (int96) properties.enable_deprecated_int96_timestamps();
    return WriteFile("t.parquet", *table, {}, 1 << 20, properties.build());
  }

  bool Reads(const std::string& path, TypeKind kind) {
    const auto code = CodeOf(ListOf({path}, {Of("t", kind)}));
    EXPECT_TRUE(code == ErrorCode::kInternal || code == ErrorCode::kUnsupported);
    return registry_.Open(ListOf({path}, {Of("t", kind)})).ok();
  }
};

TEST_F(CalendarTest, OldDatesNeedAWriterThatMeansThem) {
  const auto old = Json(arrow::date32(), "[-141428, 5, null]");
  const auto young = Json(arrow::date32(), "[-141427, 5, null]");
  EXPECT_TRUE(Reads(WriteMarked(old, {{"version", "3.5.9"}}), TypeKind::kDate));
  EXPECT_FALSE(Reads(WriteMarked(old, {{"version", "2.4.8"}}), TypeKind::kDate));
  EXPECT_FALSE(
      Reads(WriteMarked(old, {{"version", "3.5.9"}, {"legacyDateTime", ""}}), TypeKind::kDate));
  EXPECT_FALSE(Reads(WriteMarked(old, {}), TypeKind::kDate));
  EXPECT_TRUE(Reads(WriteMarked(young, {}), TypeKind::kDate));
  EXPECT_TRUE(Reads(WriteMarked(young, {{"version", "2.4.8"}}), TypeKind::kDate));
  EXPECT_TRUE(Reads(WriteMarked(Json(arrow::date32(), "[null]"), {}), TypeKind::kDate));
}

TEST_F(CalendarTest, OldInstantsNeedAWriterThatMeansThem) {
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  const auto wall = arrow::timestamp(arrow::TimeUnit::MICRO);
  const auto old = Json(type, "[-2208988800000001]");
  EXPECT_TRUE(Reads(WriteMarked(old, {{"version", "3.0.0"}}), TypeKind::kTimestamp));
  EXPECT_FALSE(Reads(WriteMarked(old, {}), TypeKind::kTimestamp));
  EXPECT_TRUE(Reads(WriteMarked(Json(type, "[-2208988800000000]"), {}), TypeKind::kTimestamp));
  // A wall clock is never rebased, unless it is read as an instant.
  const auto old_wall = WriteMarked(Json(wall, "[-2208988800000001]"), {});
  EXPECT_TRUE(Reads(old_wall, TypeKind::kTimestampNtz));
  EXPECT_FALSE(Reads(old_wall, TypeKind::kTimestamp));
}

TEST_F(CalendarTest, Int96NeedsAWriterThatMeansIt) {
  const auto array = Json(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[1500000]");
  const auto marked = WriteMarked(array, {{"version", "3.1.0"}}, true);
  EXPECT_TRUE(Reads(marked, TypeKind::kTimestamp));
  EXPECT_FALSE(Reads(marked, TypeKind::kTimestampNtz));
  EXPECT_EQ(ReadText(ListOf({marked}, {Of("t", TypeKind::kTimestamp)})),
            "1970-01-01 00:00:01.500000Z ");
  EXPECT_FALSE(Reads(WriteMarked(array, {{"version", "3.0.3"}}, true), TypeKind::kTimestamp));
  EXPECT_FALSE(Reads(WriteMarked(array, {}, true), TypeKind::kTimestamp));
  EXPECT_FALSE(Reads(WriteMarked(array, {{"version", "3.5.9"}, {"legacyINT96", ""}}, true),
                     TypeKind::kTimestamp));
}

class PartitionTest : public FileListTest {
 protected:
  static void AddPartition(Field field, std::vector<PartitionValue> values, FileList* list) {
    list->partitions.push_back({std::move(field), std::move(values)});
  }
  static PartitionValue Number(double value) { return {false, 0, value, {}}; }
};

TEST_F(PartitionTest, ValuesOfEveryTypeCoverTheirFile) {
  const auto one = WriteColumn("1.parquet", "a", Json(arrow::int32(), "[1, 2]"));
  const auto two = WriteColumn("2.parquet", "a", Json(arrow::int32(), "[3]"));
  const auto three = WriteColumn("3.parquet", "a", Json(arrow::int32(), "[4]"));
  FileList list = ListOf({three, one, two}, {Of("a", TypeKind::kInt32)});
  AddPartition(Of("i", TypeKind::kInt32),
               {{}, PartitionValue::Integer(-7), PartitionValue::Integer(70'000)}, &list);
  AddPartition(Of("s", TypeKind::kString),
               {PartitionValue::Text("z"), {}, PartitionValue::Text("")}, &list);
  AddPartition(
      Of("w", Type::Decimal(38, 0)),
      {PartitionValue::Integer(columns::Int128{1} << 100), PartitionValue::Integer(-1), {}}, &list);
  AddPartition(Of("f", TypeKind::kFloat), {Number(0.5), Number(-2), {}}, &list);
  AddPartition(Of("d", TypeKind::kDouble), {{}, Number(0.25), Number(1)}, &list);
  EXPECT_EQ(ReadText(list),
            "1,-7,null,-1,-2,0.25 2,-7,null,-1,-2,0.25 3,70000,,null,null,1 "
            "4,null,z,1267650600228229401496703205376,0.5,null ");
  const auto table = registry_.Open(list).ValueOrDie();
  EXPECT_EQ(table->zone(0, 1).min, -7);
  EXPECT_EQ(table->zone(1, 1).max, 70'000);
}

TEST_F(PartitionTest, NullsNeedANullableField) {
  const auto path = WriteColumn("1.parquet", "a", Json(arrow::int32(), "[1]"));
  FileList list = ListOf({path}, {});
  AddPartition({"p", Type::Of(TypeKind::kInt32), false}, {{}}, &list);
  EXPECT_EQ(CodeOf(list), ErrorCode::kUnsupported);
}

class IdentityTest : public FileListTest {};

TEST_F(IdentityTest, AFileUnlikeTheOneSeenIsAnError) {
  const auto path = WriteColumn("t.parquet", "a", Json(arrow::int32(), "[1]"));
  FileList list = ListOf({path}, {Of("a", TypeKind::kInt32)});
  list.files[0].size += 1;
  EXPECT_EQ(CodeOf(list), ErrorCode::kFileChanged);
  EXPECT_NE(ErrorOf(list).find(path), std::string::npos);
  list.files[0] = Seen(path);
  list.files[0].modified_ms += 1;
  EXPECT_EQ(CodeOf(list), ErrorCode::kFileChanged);
  list.files[0].modified_ms = 0;
  EXPECT_EQ(ReadText(list), "1 ");
  std::filesystem::remove(path);
  EXPECT_EQ(CodeOf(list), ErrorCode::kFileMissing);
}

TEST_F(IdentityTest, AFileDeletedAfterOpeningIsAnError) {
  const auto path = WriteColumn("t.parquet", "a", Json(arrow::int32(), "[1]"));
  const auto table = registry_.Open(ListOf({path}, {Of("a", TypeKind::kInt32)})).ValueOrDie();
  std::filesystem::remove(path);
  const std::vector<int> columns{0};
  EXPECT_EQ(base::CodeOf(table->Read(0, columns, {}, nullptr).status()), ErrorCode::kFileChanged);
}

TEST_F(IdentityTest, ScansOfTheSameFilesShareSegments) {
  std::filesystem::create_directories(Path("t"));
  const auto table = TableOf(
      {{"a", Json(arrow::int32(), "[1, 2]")}, {"b", Json(arrow::utf8(), "[\"x\", \"y\"]")}});
  const auto one = WriteFile("t/1.parquet", *table);
  const auto two = WriteFile("t/2.parquet", *table);
  EXPECT_EQ(ReadText(ListOf({two, one}, {Of("a", TypeKind::kInt32), Of("b", TypeKind::kString)})),
            "1,x 2,y 1,x 2,y ");
  const int64_t misses = cache_.counters().misses;
  EXPECT_EQ(ReadText(ListOf({one, two}, {Of("B", TypeKind::kString), Of("a", TypeKind::kInt32)})),
            "x,1 y,2 x,1 y,2 ");
  const std::vector<std::string> folder{Path("t")};
  EXPECT_TRUE(columns::ToArrow(*registry_.Open(folder).ValueOrDie()).ok());
  EXPECT_EQ(cache_.counters().misses, misses);
}

TEST_F(IdentityTest, ManySmallFilesTakeLittleMemory) {
  std::vector<std::string> paths;
  for (int i = 0; i < 200; ++i) {
    paths.push_back(WriteColumn(std::to_string(i) + ".parquet", "a",
                                Int32s(1000, [&](int64_t row) { return int32_t(i + row); })));
  }
  const auto table = registry_.Open(ListOf(paths, {Of("a", TypeKind::kInt32)})).ValueOrDie();
  EXPECT_EQ(table->num_rows(), 200'000);
  EXPECT_TRUE(columns::ToArrow(*table).ok());
  EXPECT_LE(cache_.counters().bytes, 2 * 200'000);
}

TEST_F(IdentityTest, BytesThatAreNoTextPassThrough) {
  const std::string bytes("\xff\x00\xc3(", 4);
  const auto path =
      WriteColumn("t.parquet", "s", Strings(1, [&](int64_t) { return std::string_view(bytes); }));
  const auto table = registry_.Open(ListOf({path}, {Of("s", TypeKind::kString)})).ValueOrDie();
  const auto read = columns::ToArrow(*table).ValueOrDie();
  EXPECT_EQ(static_cast<const arrow::StringArray&>(*read->column(0)->chunk(0)).GetView(0), bytes);
}

TEST(TableNameTest, WritersNumbersAreNoNames) {
  EXPECT_EQ(TableName({{"/d/lineorder.parquet", 0, 0}}), "lineorder");
  EXPECT_EQ(TableName({{"/d/lineorder.parquet/part-00000-ab-c000.snappy.parquet", 0, 0}}),
            "lineorder");
  EXPECT_EQ(
      TableName({{"/d/sales/y=1/part-0.parquet", 0, 0}, {"/d/sales/y=2/part-0.parquet", 0, 0}}),
      "sales");
  EXPECT_EQ(TableName({{"/d/sales/y=1/part-0.parquet", 0, 0}}), "sales");
  EXPECT_EQ(TableName({{"part-0.parquet", 0, 0}}), "part-0");
}

}  // namespace
}  // namespace shadowvm::storage
