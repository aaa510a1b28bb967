// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/api.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/columns/type.h"
#include "engine/exec/interpret/interpreter.h"

// Random values of every type, edge cases first, as the interpreter and as Arrow hold them.
namespace shadowvm::exec {

struct TestColumn {
  std::string name;
  columns::Type type;
  bool nullable = false;
  std::vector<Value> values;
};

// Every type the engine holds; decimals of three sizes.
const std::vector<columns::Type>& TestTypes();
// "i32", "decimal_38_10", …: the column of a type without nulls; "maybe_" before it: with nulls.
std::string ColumnName(columns::Type type, bool nullable);

// Two columns of each type, one with nulls, and "word", a string column of few values.
std::vector<TestColumn> RandomColumns(int64_t rows, uint64_t seed);

columns::Schema SchemaOf(const std::vector<TestColumn>& columns);
std::shared_ptr<arrow::Table> ToTable(const std::vector<TestColumn>& columns);
// The values of an answer's column.
std::vector<Value> FromArrow(const arrow::ChunkedArray& column, columns::Type type);

// Equal as a type's values are: floats by their bits, but every NaN is one.
bool SameValue(columns::Type type, const Value& left, const Value& right);

}  // namespace shadowvm::exec
