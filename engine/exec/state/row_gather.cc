// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <cstring>

#include "engine/exec/state/dispatch.h"
#include "engine/exec/state/row_conversion.h"

namespace shadowvm::exec {
namespace {

constexpr int64_t kGatherRows = 16 << 10;  // a task's rows: enough to pay for handing it over

template <typename T>
void GatherValues(const T* from, std::span<const uint32_t> indexes, T* to) {
  for (size_t i = 0; i < indexes.size(); ++i) to[i] = from[indexes[i]];
}

void GatherColumn(const RowData& from, std::span<const uint32_t> indexes, int64_t at, RowData* to) {
  DispatchWidth(from.column.width(), [&](auto zero) {
    using T = decltype(zero);
    GatherValues(from.values<T>(), indexes, to->data->as<T>() + at);
  });
  if (from.valid != nullptr) {
    GatherValues(from.valid->data(), indexes, to->valid->data() + at);
  } else if (to->valid != nullptr) {
    std::memset(to->valid->data() + at, 1, indexes.size());
  }
}

std::vector<RowColumn> ColumnsOf(const RowSet& rows) {
  std::vector<RowColumn> columns;
  columns.reserve(rows.columns.size());
  for (const RowData& data : rows.columns) columns.push_back(data.column);
  return columns;
}

}  // namespace

base::Result<RowSet> Gather(const RowSet& rows, std::span<const uint32_t> indexes,
                            memory::MemoryBudget* budget, const schedule::Workers& workers) {
  const auto count = static_cast<int64_t>(indexes.size());
  SVM_ASSIGN_OR_RETURN(RowSet result, MakeRowSet(budget, ColumnsOf(rows), count));
  result.keepers = rows.keepers;
  const auto gather = [&](int, int64_t begin, int64_t end) {
    for (size_t i = 0; i < rows.columns.size(); ++i) {
      GatherColumn(rows.columns[i], indexes.subspan(begin, end - begin), begin, &result.columns[i]);
    }
    return base::Status::OK();
  };
  SVM_RETURN_NOT_OK(schedule::ParallelRanges(workers, count, kGatherRows, gather));
  return result;
}

base::Result<RowSet> Slice(RowSet rows, int64_t offset, int64_t count, memory::MemoryBudget* budget,
                           const schedule::Workers& workers) {
  offset = std::clamp<int64_t>(offset, 0, rows.num_rows);
  count = std::clamp<int64_t>(count, 0, rows.num_rows - offset);
  if (offset == 0) {
    rows.num_rows = count;
    return rows;
  }
  SVM_ASSIGN_OR_RETURN(RowSet result, MakeRowSet(budget, ColumnsOf(rows), count));
  result.keepers = std::move(rows.keepers);
  const auto copy = [&](int, int64_t task) {
    const RowData& from = rows.columns[task];
    RowData& to = result.columns[task];
    const int64_t width = from.column.width();
    std::memcpy(to.data->data(), from.data->data() + offset * width, count * width);
    if (to.valid != nullptr) {
      std::memcpy(to.valid->data(), from.valid->data() + offset, count);
    }
    return base::Status::OK();
  };
  const auto columns = static_cast<int64_t>(result.columns.size());
  SVM_RETURN_NOT_OK(schedule::ParallelFor(workers, columns, copy));
  return result;
}

}  // namespace shadowvm::exec
