// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/tests/kernel_values.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "engine/columns/arrow_values.h"
#include "engine/columns/type_mapping.h"

namespace shadowvm::exec {
namespace {

using columns::Int128;
using columns::Type;
using columns::TypeKind;

constexpr int64_t kMicrosOfDay = 86'400'000'000;

Int128 Power10(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// The least and the largest value of a type held as an integer.
std::pair<Int128, Int128> LimitsOf(Type type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return {0, 1};
    case TypeKind::kInt8:
      return {INT8_MIN, INT8_MAX};
    case TypeKind::kInt16:
      return {INT16_MIN, INT16_MAX};
    case TypeKind::kInt32:
      return {INT32_MIN, INT32_MAX};
    case TypeKind::kDate:
      return {-719162, 2932896};  // years 1 to 9999
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return {-719162 * kMicrosOfDay, 2932896 * kMicrosOfDay};
    case TypeKind::kDecimal:
      return {1 - Power10(type.precision), Power10(type.precision) - 1};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

const std::vector<double>& EdgeNumbers() {
  static const std::vector<double> kNumbers = {std::nan(""),
                                               0.0,
                                               -0.0,
                                               INFINITY,
                                               -INFINITY,
                                               1,
                                               -1,
                                               0.5,
                                               -0.5,
                                               1.5,
                                               2.5,
                                               127.4,
                                               128,
                                               -129,
                                               32768,
                                               2147483647.0,
                                               2147483648.0,
                                               -2147483649.0,
                                               9223372036854775807.0,
                                               1e19,
                                               -1e19,
                                               99.995,
                                               123.455,
                                               0.005,
                                               -0.005,
                                               5e-324,
                                               1e-45,
                                               3.4e38,
                                               1.7e308,
                                               1e37,
                                               1e38,
                                               16777217,
                                               0.1};
  return kNumbers;
}

const std::vector<std::string>& EdgeTexts() {
  static const std::vector<std::string> kTexts = {"",
                                                  "a",
                                                  "A",
                                                  "ab",
                                                  "abc",
                                                  "abcd",
                                                  "b",
                                                  "%",
                                                  "_",
                                                  "a%b",
                                                  "a_b",
                                                  "\\",
                                                  "é",
                                                  "日本語",
                                                  "naïve",
                                                  std::string("a\0b", 3),
                                                  std::string(300, 'x'),
                                                  std::string(300, 'x') + "y",
                                                  "\xf0\x9f\x98\x80",
                                                  "cab",
                                                  "xabcx"};
  return kTexts;
}

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Value Next(Type type) {
    if (type.is_text()) return Value::Text(NextText());
    if (type.is_float()) {
      const double number = NextNumber();
      return Value::Number(type.kind == TypeKind::kFloat ? static_cast<float>(number) : number);
    }
    return Value::Integer(NextInteger(type));
  }
  bool OneIn(int count) { return random_() % count == 0; }

 private:
  template <typename T>
  const T& Pick(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }

  Int128 NextInteger(Type type) {
    const auto [least, most] = LimitsOf(type);
    const Int128 unit = type.is_decimal() ? Power10(type.scale) : 1;
    const std::vector<Int128> edges = {
        least,           most,      0,        1,  -1, 2, -2, unit, -unit, unit / 2, -(unit / 2),
        unit + unit / 2, least + 1, most - 1, 100};
    Int128 value = Pick(edges);
    if (!OneIn(3)) {
      // A random number of random bits: small values are as likely as large ones.
      const Int128 bits = static_cast<Int128>(random_()) << 64 | static_cast<Int128>(random_());
      value = bits >> (random_() % 126 + 1);
    }
    if (type.kind == TypeKind::kBool) return value & 1;
    return value < least || value > most ? value % (most + 1) : value;
  }

  double NextNumber() {
    if (OneIn(2)) return Pick(EdgeNumbers());
    const double mantissa = std::uniform_real_distribution<double>(-1, 1)(random_);
    return std::ldexp(mantissa, static_cast<int>(random_() % 140) - 40);
  }

  std::string NextText() {
    if (OneIn(2)) return Pick(EdgeTexts());
    std::string text;
    const size_t length = random_() % 12;
    for (size_t i = 0; i < length; ++i) text += static_cast<char>('a' + random_() % 4);
    return text + std::to_string(random_() % 5000);
  }

  std::mt19937_64 random_;
};

TestColumn RandomColumn(std::string name, Type type, bool nullable, int64_t rows,
                        Generator* generator) {
  TestColumn column{std::move(name), type, nullable, {}};
  for (int64_t i = 0; i < rows; ++i) {
    const bool null = nullable && generator->OneIn(5);
    column.values.push_back(null ? Value::Null() : generator->Next(type));
  }
  return column;
}

arrow::Decimal128 ToDecimal(Int128 value) {
  return arrow::Decimal128(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
}

std::shared_ptr<arrow::Scalar> ToScalar(const Value& value, Type type,
                                        const std::shared_ptr<arrow::DataType>& arrow_type) {
  if (value.is_null) return arrow::MakeNullScalar(arrow_type);
  switch (type.kind) {
    case TypeKind::kDecimal:
      return std::make_shared<arrow::Decimal128Scalar>(ToDecimal(value.integer), arrow_type);
    case TypeKind::kFloat:
      return arrow::MakeScalar(static_cast<float>(value.number));
    case TypeKind::kDouble:
      return arrow::MakeScalar(value.number);
    case TypeKind::kString:
      return arrow::MakeScalar(value.text);
    case TypeKind::kBinary:
      return std::make_shared<arrow::BinaryScalar>(value.text);
    case TypeKind::kBool:
      return arrow::MakeScalar(value.integer != 0);
    default:
      return arrow::MakeScalar(arrow_type, value.int64()).ValueOrDie();
  }
}

std::shared_ptr<arrow::Array> ToArray(const TestColumn& column) {
  const auto type = columns::ToArrow(column.type);
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (const Value& value : column.values) {
    const auto status = builder->AppendScalar(*ToScalar(value, column.type, type));
    EXPECT_TRUE(status.ok()) << status;
  }
  return builder->Finish().ValueOrDie();
}

void AppendFloats(const arrow::Array& array, std::vector<Value>* values) {
  for (int64_t i = 0; i < array.length(); ++i) {
    values->push_back(Value::Number(
        array.type_id() == arrow::Type::FLOAT
            ? static_cast<double>(static_cast<const arrow::FloatArray&>(array).Value(i))
            : static_cast<const arrow::DoubleArray&>(array).Value(i)));
  }
}

void AppendTexts(const arrow::Array& array, std::vector<Value>* values) {
  std::vector<std::string_view> texts;
  columns::ReadTexts(array, &texts);
  for (const std::string_view text : texts) values->push_back(Value::Text(std::string(text)));
}

void AppendIntegers(const arrow::Array& array, Type type, std::vector<Value>* values) {
  if (type.is_decimal()) {
    std::vector<Int128> wide(array.length());
    EXPECT_TRUE(columns::ReadWide(array, wide.data()).ok());
    for (const Int128 value : wide) values->push_back(Value::Integer(value));
    return;
  }
  std::vector<int64_t> framed(array.length());
  EXPECT_TRUE(columns::ReadFramed(array, framed.data()).ok());
  for (const int64_t value : framed) values->push_back(Value::Integer(value));
}

}  // namespace

const std::vector<Type>& TestTypes() {
  static const std::vector<Type> kTypes = [] {
    std::vector<Type> types;
    for (const TypeKind kind :
         {TypeKind::kBool, TypeKind::kInt8, TypeKind::kInt16, TypeKind::kInt32, TypeKind::kInt64,
          TypeKind::kFloat, TypeKind::kDouble, TypeKind::kDate, TypeKind::kTimestamp,
          TypeKind::kTimestampNtz, TypeKind::kString, TypeKind::kBinary}) {
      types.push_back(Type::Of(kind));
    }
    for (const auto& [precision, scale] : {std::pair(5, 2), {18, 6}, {38, 10}, {38, 0}}) {
      types.push_back(Type::Decimal(precision, scale));
    }
    return types;
  }();
  return kTypes;
}

std::string ColumnName(Type type, bool nullable) {
  std::string name = nullable ? "maybe_" : "";
  for (const char c : type.ToString()) {
    if (c != ')') name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
}

std::vector<TestColumn> RandomColumns(int64_t rows, uint64_t seed) {
  Generator generator(seed);
  std::vector<TestColumn> columns;
  for (const Type type : TestTypes()) {
    for (const bool nullable : {false, true}) {
      columns.push_back(RandomColumn(ColumnName(type, nullable), type, nullable, rows, &generator));
    }
  }
  TestColumn word{"word", Type::Of(TypeKind::kString), true, {}};
  for (int64_t i = 0; i < rows; ++i) {
    word.values.push_back(generator.OneIn(6) ? Value::Null()
                                             : Value::Text(EdgeTexts()[i % EdgeTexts().size()]));
  }
  columns.push_back(std::move(word));
  return columns;
}

columns::Schema SchemaOf(const std::vector<TestColumn>& columns) {
  columns::Schema schema;
  for (const TestColumn& column : columns) {
    schema.fields.push_back({column.name, column.type, column.nullable});
  }
  return schema;
}

std::shared_ptr<arrow::Table> ToTable(const std::vector<TestColumn>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const TestColumn& column : columns) {
    arrays.push_back(ToArray(column));
    fields.push_back(arrow::field(column.name, arrays.back()->type(), column.nullable));
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

std::vector<Value> FromArrow(const arrow::ChunkedArray& column, Type type) {
  std::vector<Value> values;
  for (const auto& chunk : column.chunks()) {
    const size_t first = values.size();
    if (type.is_float()) {
      AppendFloats(*chunk, &values);
    } else if (type.is_text()) {
      AppendTexts(*chunk, &values);
    } else {
      AppendIntegers(*chunk, type, &values);
    }
    for (int64_t i = 0; i < chunk->length(); ++i) {
      if (chunk->IsNull(i)) values[first + i] = Value::Null();
    }
  }
  return values;
}

bool SameValue(Type type, const Value& left, const Value& right) {
  if (left.is_null || right.is_null) return left.is_null == right.is_null;
  if (type.is_text()) return left.text == right.text;
  if (!type.is_float()) return left.integer == right.integer;
  if (std::isnan(left.number) || std::isnan(right.number)) {
    return std::isnan(left.number) && std::isnan(right.number);
  }
  return std::bit_cast<uint64_t>(left.number) == std::bit_cast<uint64_t>(right.number);
}

}  // namespace shadowvm::exec
