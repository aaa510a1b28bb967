// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/mixed_rows.h"

#include <utility>

namespace shadowvm::exec {

MixedRows::MixedRows(memory::MemoryBudget* budget, const schedule::Workers& workers,
                     const std::vector<RowColumn>& columns, CollectSink* card)
    : budget_(budget),
      workers_(workers),
      columns_(columns),
      card_(*card),
      of_workers_(static_cast<size_t>(workers.count())) {
  for (int worker = 0; worker < workers.count(); ++worker) {
    buffers_.push_back(std::make_unique<RowBuffer>(budget, columns));
  }
}

base::Status MixedRows::Bind(int worker, int64_t, kernels::KernelCall* call) {
  call->output = buffers_[static_cast<size_t>(worker)].get();
  return base::Status::OK();
}

// Rows of a contest that is lost stay where they are, and nobody asks for them.
void MixedRows::NoteUnit(int worker, int64_t contest, const schedule::Partition& unit) {
  std::vector<PartitionRows::Found>& found = of_workers_[static_cast<size_t>(worker)];
  const int64_t begin = found.empty() ? 0 : found.back().rows.end;
  const int64_t end = buffers_[static_cast<size_t>(worker)]->num_rows();
  found.push_back({unit, {worker, begin, end}, contest});
}

base::Status MixedRows::StatusOf(int worker) const {
  return buffers_[static_cast<size_t>(worker)]->status();
}

base::Status MixedRows::AddBatch(const schedule::Partition& first) {
  SVM_ASSIGN_OR_RETURN(CollectSink::Found found, card_.TakeFound());
  batches_.push_back({first, std::move(found)});
  return base::Status::OK();
}

void MixedRows::AddContests(const Won& won) {
  for (const auto& worker : of_workers_) {
    for (const PartitionRows::Found& found : worker) {
      if (found.contest < 0 || won(found.contest)) won_.push_back(found);
    }
  }
}

base::Result<RowSet> MixedRows::TakeRows() {
  std::vector<PartitionRows::Found> all = std::move(won_);
  for (Batch& batch : batches_) {
    const int number = static_cast<int>(buffers_.size());
    SVM_ASSIGN_OR_RETURN(RowSet rows, InSourceOrder(std::move(batch.found), budget_, workers_));
    all.push_back({batch.first, {number, 0, rows.num_rows}});
    buffers_.push_back(std::make_unique<RowBuffer>(budget_, columns_));
    buffers_.back()->Put(std::move(rows));
  }
  return Concatenate(buffers_, PartitionRows::InOrder(std::move(all)), budget_, workers_);
}

}  // namespace shadowvm::exec
