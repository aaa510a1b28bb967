// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/row_set.h"

#include <algorithm>

#include "engine/exec/state/dispatch.h"

namespace shadowvm::exec {
namespace {

constexpr std::string_view kWhat = "materialised rows";

template <typename T>
columns::Zone ZoneOfValues(const T* values, const uint8_t* valid, int64_t num_rows) {
  T min = std::numeric_limits<T>::max();
  T max = std::numeric_limits<T>::min();
  int64_t nulls = 0;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (valid != nullptr && valid[row] == 0) {
      ++nulls;
      continue;
    }
    min = std::min(min, values[row]);
    max = std::max(max, values[row]);
  }
  if (nulls == num_rows) return {false, 0, 0, nulls};
  return {true, min, max, nulls};
}

}  // namespace

int NaturalWidth(columns::Type type) {
  switch (type.kind) {
    case columns::TypeKind::kBool:
    case columns::TypeKind::kInt8:
      return 1;
    case columns::TypeKind::kInt16:
      return 2;
    case columns::TypeKind::kInt32:
    case columns::TypeKind::kDate:
      return 4;
    default:
      return 8;
  }
}

int RowColumn::width() const {
  if (kind == Kind::kCodes) return 4;
  if (kind == Kind::kText) return sizeof(kernels::Text);
  if (type.is_wide()) return 16;
  if (type.kind == columns::TypeKind::kFloat) return 4;
  return NaturalWidth(type);
}

int64_t RowData::Integer(int64_t row) const {
  return DispatchInteger(column.width(),
                         [&](auto zero) -> int64_t { return values<decltype(zero)>()[row]; });
}

kernels::Text RowData::TextAt(int64_t row) const {
  if (column.kind == RowColumn::Kind::kText) return values<kernels::Text>()[row];
  return column.dictionary->texts()[values<uint32_t>()[row]];
}

kernels::PayloadView RowSet::payload(int column) const {
  const RowData& data = columns[column];
  const bool coded = data.column.kind == RowColumn::Kind::kCodes;
  return {data.data->data(), data.valid == nullptr ? nullptr : data.valid->data(),
          coded ? data.column.dictionary->texts() : nullptr};
}

int64_t RowSet::bytes() const {
  int64_t total = 0;
  for (const RowData& data : columns) {
    total += data.data->size() + (data.valid == nullptr ? 0 : data.valid->size());
  }
  return total;
}

base::Result<RowSet> MakeRowSet(memory::MemoryBudget* budget, std::vector<RowColumn> columns,
                                int64_t rows) {
  RowSet set;
  set.num_rows = rows;
  set.columns.reserve(columns.size());
  for (RowColumn& column : columns) {
    RowData data;
    SVM_ASSIGN_OR_RETURN(data.data, memory::Buffer::Make(budget, rows * column.width(), kWhat));
    if (column.nullable) {
      SVM_ASSIGN_OR_RETURN(data.valid, memory::Buffer::Make(budget, rows, kWhat));
    }
    data.column = std::move(column);
    set.columns.push_back(std::move(data));
  }
  return set;
}

columns::Zone ZoneOf(const RowData& data, int64_t num_rows) {
  const uint8_t* valid = data.valid == nullptr ? nullptr : data.valid->data();
  return DispatchInteger(data.column.width(), [&](auto zero) {
    return ZoneOfValues(data.values<decltype(zero)>(), valid, num_rows);
  });
}

}  // namespace shadowvm::exec
