// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/row_buffer.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "engine/base/fault.h"

namespace shadowvm::exec {
namespace {

constexpr int64_t kFirstRows = 4 * kernels::kTileRows;

void CopyRows(const RowData& from, int64_t begin, int64_t rows, RowData* to, int64_t at) {
  const int64_t width = from.column.width();
  std::memcpy(to->data->data() + at * width, from.data->data() + begin * width, rows * width);
  if (from.valid != nullptr) std::memcpy(to->valid->data() + at, from.valid->data() + begin, rows);
}

}  // namespace

RowBuffer::RowBuffer(memory::MemoryBudget* budget, std::vector<RowColumn> row_columns)
    : OutputView{}, budget_(budget), types_(std::move(row_columns)) {
  column_pointers_.resize(types_.size());
  valid_pointers_.resize(types_.size());
  columns = column_pointers_.data();
  valid = valid_pointers_.data();
  reserve = &RowBuffer::ReserveFromKernel;
}

base::Status RowBuffer::Reserve(int64_t rows) {
  const int64_t needed = num_rows() + rows;
  if (needed <= static_cast<int64_t>(capacity)) return base::Status::OK();
  SVM_FAULT_POINT("exec.output.reserve");
  const int64_t grown = std::max({needed, 2 * static_cast<int64_t>(capacity), int64_t{kFirstRows}});
  SVM_ASSIGN_OR_RETURN(RowSet larger, MakeRowSet(budget_, types_, grown));
  for (size_t i = 0; i < data_.size(); ++i)
    CopyRows(data_[i], 0, num_rows(), &larger.columns[i], 0);
  Adopt(std::move(larger.columns), grown);
  return base::Status::OK();
}

void RowBuffer::Adopt(std::vector<RowData> data, int64_t new_capacity) {
  data_ = std::move(data);
  capacity = new_capacity;
  for (size_t i = 0; i < types_.size(); ++i) {
    const bool present = i < data_.size();
    column_pointers_[i] = present ? data_[i].data->data() : nullptr;
    valid_pointers_[i] = present && data_[i].valid != nullptr ? data_[i].valid->data() : nullptr;
  }
}

void RowBuffer::Put(RowSet rows) {
  count = static_cast<kernels::u64>(rows.num_rows);
  keepers_ = std::move(rows.keepers);
  Adopt(std::move(rows.columns), rows.num_rows);
}

bool RowBuffer::ReserveFromKernel(kernels::KernelCall* call, kernels::u64 rows) {
  auto* buffer = static_cast<RowBuffer*>(call->output);
  buffer->status_ = buffer->Reserve(static_cast<int64_t>(rows));
  if (buffer->status_.ok()) return true;
  call->error = static_cast<kernels::u32>(base::CodeOf(buffer->status_));
  return false;
}

RowSet RowBuffer::Take() {
  RowSet set{num_rows(), std::move(data_), std::move(keepers_)};
  keepers_.clear();
  count = 0;
  Adopt({}, 0);
  return set;
}

base::Result<RowSet> Concatenate(std::span<const std::unique_ptr<RowBuffer>> buffers,
                                 memory::MemoryBudget* budget, const schedule::Workers& workers,
                                 int64_t limit) {
  std::vector<RowStretch> stretches;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const int64_t rows = std::min(buffers[i]->num_rows(), limit);
    stretches.push_back({static_cast<int>(i), 0, rows});
    limit -= rows;
  }
  return Concatenate(buffers, stretches, budget, workers);
}

base::Result<RowSet> Concatenate(std::span<const std::unique_ptr<RowBuffer>> buffers,
                                 std::span<const RowStretch> stretches,
                                 memory::MemoryBudget* budget, const schedule::Workers& workers) {
  std::vector<RowSet> parts;
  for (const auto& buffer : buffers) parts.push_back(buffer->Take());
  std::vector<int64_t> begins;
  int64_t total = 0;
  std::set<int> sources;
  bool as_they_are = true;
  for (const RowStretch& stretch : stretches) {
    begins.push_back(total);
    if (stretch.end == stretch.begin) continue;
    as_they_are = as_they_are && stretch.begin == total;
    total += stretch.end - stretch.begin;
    sources.insert(stretch.buffer);
  }
  if (sources.size() == 1 && as_they_are) {
    RowSet only = std::move(parts[*sources.begin()]);
    only.num_rows = total;
    return only;
  }
  SVM_ASSIGN_OR_RETURN(RowSet all, MakeRowSet(budget, buffers[0]->columns_of_rows(), total));
  const auto columns = static_cast<int64_t>(all.columns.size());
  const auto copy = [&](int, int64_t task) {
    const RowStretch& from = stretches[task / columns];
    const int64_t column = task % columns;
    if (from.end > from.begin) {
      CopyRows(parts[from.buffer].columns[column], from.begin, from.end - from.begin,
               &all.columns[column], begins[task / columns]);
    }
    return base::Status::OK();
  };
  const auto num_stretches = static_cast<int64_t>(stretches.size());
  SVM_RETURN_NOT_OK(schedule::ParallelFor(workers, num_stretches * columns, copy));
  for (RowSet& part : parts) {
    std::move(part.keepers.begin(), part.keepers.end(), std::back_inserter(all.keepers));
  }
  return all;
}

}  // namespace shadowvm::exec
