// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/dictionary.h"
#include "engine/columns/segment.h"
#include "engine/columns/type.h"
#include "engine/kernels/common/abi.h"
#include "engine/memory/buffer.h"

namespace shadowvm::exec {

// How a column of materialised rows lies in memory.
struct RowColumn {
  enum class Kind : uint8_t {
    kValue,  // framed types at their natural signed width (bool 1, date 4, decimal(<=18) 8 …),
             // 16-byte wide decimals, floats, doubles
    kCodes,  // 4-byte codes of 'dictionary'
    kText,   // kernels::Text
  };
  columns::Type type;
  bool nullable = false;
  Kind kind = Kind::kValue;
  std::shared_ptr<columns::Dictionary> dictionary;  // kCodes only

  static RowColumn Value(columns::Type type, bool nullable) { return {type, nullable, {}, {}}; }
  static RowColumn Codes(columns::Type type, bool nullable,
                         std::shared_ptr<columns::Dictionary> dictionary) {
    return {type, nullable, Kind::kCodes, std::move(dictionary)};
  }
  static RowColumn Text(columns::Type type, bool nullable) {
    return {type, nullable, Kind::kText, {}};
  }
  // Bytes of one value.
  int width() const;
  // Held as a signed integer of at most 8 bytes.
  bool is_integer() const { return kind == Kind::kValue && type.is_framed(); }
};

// The natural signed width of a framed type.
int NaturalWidth(columns::Type type);

// Whatever owns bytes that Text values point to.
using Keeper = std::shared_ptr<const void>;

struct RowData {
  RowColumn column;
  std::shared_ptr<memory::Buffer> data;
  std::shared_ptr<memory::Buffer> valid;  // one byte a row, 1 = valid; null: all valid

  bool is_valid(int64_t row) const { return valid == nullptr || valid->data()[row] != 0; }
  template <typename T>
  const T* values() const {
    return data->as<T>();
  }
  // Of an integer column.
  int64_t Integer(int64_t row) const;
  // Of a coded or text column.
  kernels::Text TextAt(int64_t row) const;
};

// Materialised rows in contiguous columns: a build side, groups, the input and output of a sort.
// Immutable once shared. Null rows hold any value at all; a code of a null row may be no code.
struct RowSet {
  int64_t num_rows = 0;
  std::vector<RowData> columns;
  std::vector<Keeper> keepers;

  kernels::PayloadView payload(int column) const;
  int64_t bytes() const;
};

// Rows of 'columns' with room for 'rows', contents undefined.
base::Result<RowSet> MakeRowSet(memory::MemoryBudget* budget, std::vector<RowColumn> columns,
                                int64_t rows);

// What is known of an integer column: minimum, maximum and nulls. Not known when no row is valid.
columns::Zone ZoneOf(const RowData& data, int64_t num_rows);

}  // namespace shadowvm::exec
