// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/columns/arrow_values.h"
#include "engine/columns/type.h"

namespace shadowvm::storage {

// What every row of a file has in a partition column. The column's type says which member holds it.
struct PartitionValue {
  bool is_null = true;
  columns::Int128 integer = 0;  // framed types and wide decimals
  double number = 0;            // floats
  std::string text;             // strings and binaries

  static PartitionValue Integer(columns::Int128 value) { return {false, value, 0, {}}; }
  static PartitionValue Text(std::string value) { return {false, 0, 0, std::move(value)}; }
  // Numbers by their bits: NaN is itself.
  bool operator==(const PartitionValue& other) const {
    return is_null == other.is_null && integer == other.integer && text == other.text &&
           std::bit_cast<uint64_t>(number) == std::bit_cast<uint64_t>(other.number);
  }
};

// A column whose values come with the files instead of lying in them: one per file.
struct PartitionColumn {
  columns::Field field;
  std::vector<PartitionValue> values;
};

}  // namespace shadowvm::storage
