// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/api.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/exec/tests/kernel_fixture.h"

// Small tables whose columns take every layout there is: the form of a kernel follows from them.
namespace shadowvm::exec {

using NamedArray = std::pair<std::string, std::shared_ptr<arrow::Array>>;

// 'value' gives row i, or nothing for null.
template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> MakeArray(Builder builder, int64_t rows, const Value& value) {
  for (int64_t i = 0; i < rows; ++i) {
    const auto given = value(i);
    const auto status = given.has_value() ? builder.Append(*given) : builder.AppendNull();
    EXPECT_TRUE(status.ok()) << status;
  }
  return builder.Finish().ValueOrDie();
}

template <typename Value>
std::shared_ptr<arrow::Array> Int32s(int64_t rows, const Value& value) {
  return MakeArray(arrow::Int32Builder(), rows,
                   [&](int64_t i) -> std::optional<int32_t> { return value(i); });
}

template <typename Value>
std::shared_ptr<arrow::Array> Int64s(int64_t rows, const Value& value) {
  return MakeArray(arrow::Int64Builder(), rows,
                   [&](int64_t i) -> std::optional<int64_t> { return value(i); });
}

template <typename Value>
std::shared_ptr<arrow::Array> Texts(int64_t rows, const Value& value) {
  return MakeArray(arrow::StringBuilder(), rows,
                   [&](int64_t i) -> std::optional<std::string> { return value(i); });
}

inline std::shared_ptr<arrow::Array> Decimals(int64_t rows, int precision, int scale) {
  return MakeArray(arrow::Decimal128Builder(arrow::decimal128(precision, scale)), rows,
                   [](int64_t i) { return std::optional(arrow::Decimal128(i * 7 - 500)); });
}

inline std::shared_ptr<arrow::Table> MakeTable(const std::vector<NamedArray>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const auto& [name, array] : columns) {
    fields.push_back(arrow::field(name, array->type(), array->null_count() > 0));
    arrays.push_back(array);
  }
  return arrow::Table::Make(arrow::schema(fields), arrays);
}

// 2,000 rows: more different notes than a small dictionary holds, so that they are plain text.
inline std::shared_ptr<arrow::Table> SalesTable() {
  constexpr int64_t kRows = 2000;
  const auto every = [](int64_t step) {
    return [step](int64_t i) -> std::optional<int32_t> {
      if (i % step == 0) return std::nullopt;
      return static_cast<int32_t>(i % 100);
    };
  };
  const auto city = [](int64_t i) { return "city " + std::to_string(i % 10); };
  return MakeTable(
      {{"id", Int32s(kRows, [](int64_t i) { return static_cast<int32_t>(i); })},
       {"store", Int32s(kRows, [](int64_t i) { return static_cast<int32_t>(i % 100); })},
       {"shelf", Int32s(kRows, every(7))},
       {"serial", MakeArray(arrow::Int64Builder(), kRows,
                            [](int64_t i) { return std::optional(i % 500 * 1'000'000'000'000); })},
       {"lot", MakeArray(arrow::Int64Builder(), kRows,
                         [](int64_t i) {
                           return i % 5 == 0 ? std::nullopt
                                             : std::optional(i % 500 * 1'000'000'000'000);
                         })},
       {"city", Texts(kRows, city)},
       {"village",
        Texts(kRows,
              [&](int64_t i) { return i % 9 == 0 ? std::nullopt : std::optional(city(i)); })},
       {"note", Texts(kRows, [](int64_t i) { return "note " + std::to_string(i); })},
       {"remark", Texts(kRows,
                        [](int64_t i) {
                          return i % 4 == 0 ? std::nullopt
                                            : std::optional("remark " + std::to_string(i));
                        })},
       {"price", Decimals(kRows, 12, 2)},
       {"total", Decimals(kRows, 25, 4)},
       {"weight",
        MakeArray(arrow::DoubleBuilder(), kRows,
                  [](int64_t i) { return i % 6 == 0 ? std::nullopt : std::optional(i * 0.5); })},
       {"rate", MakeArray(arrow::FloatBuilder(), kRows,
                          [](int64_t i) { return std::optional(static_cast<float>(i) / 8); })},
       {"open",
        MakeArray(arrow::BooleanBuilder(), kRows,
                  [](int64_t i) { return i % 8 == 0 ? std::nullopt : std::optional(i % 2 == 0); })},
       {"day", MakeArray(arrow::Date32Builder(), kRows, [](int64_t i) {
          return std::optional(static_cast<int32_t>(9000 + i % 365));
        })}});
}

// One row a store; its owner may be missing.
inline std::shared_ptr<arrow::Table> StoreTable() {
  constexpr int64_t kRows = 60;
  return MakeTable(
      {{"store_id", Int32s(kRows, [](int64_t i) { return static_cast<int32_t>(i); })},
       {"region", Texts(kRows, [](int64_t i) { return "region " + std::to_string(i % 5); })},
       {"owner", Texts(kRows,
                       [](int64_t i) {
                         return i % 3 == 0 ? std::nullopt
                                           : std::optional("owner " + std::to_string(i));
                       })},
       {"place", Texts(kRows, [](int64_t i) { return "city " + std::to_string(i % 10); })},
       {"serial_id", MakeArray(arrow::Int64Builder(), kRows,
                               [](int64_t i) { return std::optional(i * 1'000'000'000'000); })},
       {"area", Decimals(kRows, 25, 4)}});
}

// Several rows a store and a note.
inline std::shared_ptr<arrow::Table> VisitTable() {
  constexpr int64_t kRows = 3000;
  return MakeTable(
      {{"visit_store", Int32s(kRows, [](int64_t i) { return static_cast<int32_t>(i % 50); })},
       {"visit_serial",
        MakeArray(arrow::Int64Builder(), kRows,
                  [](int64_t i) { return std::optional(i % 9 * 1'000'000'000'000); })},
       {"visit_note", Texts(kRows, [](int64_t i) { return "note " + std::to_string(i % 1500); })},
       {"guest", Texts(kRows, [](int64_t i) { return "guest " + std::to_string(i % 4); })}});
}

inline void AddSmallTables(Engine* engine) {
  ASSERT_TRUE(engine->AddTable("sales", *SalesTable()).ok());
  ASSERT_TRUE(engine->AddTable("store", *StoreTable()).ok());
  ASSERT_TRUE(engine->AddTable("visit", *VisitTable()).ok());
}

}  // namespace shadowvm::exec
