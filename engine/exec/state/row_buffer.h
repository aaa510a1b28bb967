// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/exec/state/row_set.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

// Growing rows that one worker's kernel appends to: the OutputView of its calls. Bind with
// call->output = buffer; kernels write through the view, everything else goes through the methods.
// Fault point exec.output.reserve.
class RowBuffer : public kernels::OutputView {
 public:
  RowBuffer(memory::MemoryBudget* budget, std::vector<RowColumn> columns);
  RowBuffer(const RowBuffer&) = delete;
  RowBuffer& operator=(const RowBuffer&) = delete;

  // Room for at least 'rows' more. What was appended keeps its values, not its address.
  base::Status Reserve(int64_t rows);
  // Takes rows of its columns over. Before any were appended.
  void Put(RowSet rows);
  // Keeps alive what appended Text values point to.
  void Keep(Keeper keeper) { keepers_.push_back(std::move(keeper)); }

  int64_t num_rows() const { return static_cast<int64_t>(count); }
  const std::vector<RowColumn>& columns_of_rows() const { return types_; }
  // Why the last reserve from a kernel failed.
  const base::Status& status() const { return status_; }

  // The rows, moved out; the buffer is empty afterwards.
  RowSet Take();

 private:
  static bool ReserveFromKernel(kernels::KernelCall* call, kernels::u64 rows);
  void Adopt(std::vector<RowData> data, int64_t new_capacity);

  memory::MemoryBudget* budget_;
  std::vector<RowColumn> types_;
  std::vector<RowData> data_;
  std::vector<void*> column_pointers_;
  std::vector<kernels::u8*> valid_pointers_;
  std::vector<Keeper> keepers_;
  base::Status status_;
};

// All rows of the workers' buffers, in the order of the buffers, the first 'limit' of them. The
// buffers are empty afterwards. When only one holds rows they are not copied.
base::Result<RowSet> Concatenate(std::span<const std::unique_ptr<RowBuffer>> buffers,
                                 memory::MemoryBudget* budget, const schedule::Workers& workers,
                                 int64_t limit = INT64_MAX);

// Neighbouring rows of one of several buffers.
struct RowStretch {
  int buffer = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

// The rows of the stretches, in their order. The buffers are empty afterwards. When only the first
// rows of one of them are asked for, in their order, they are not copied.
base::Result<RowSet> Concatenate(std::span<const std::unique_ptr<RowBuffer>> buffers,
                                 std::span<const RowStretch> stretches,
                                 memory::MemoryBudget* budget, const schedule::Workers& workers);

}  // namespace shadowvm::exec
