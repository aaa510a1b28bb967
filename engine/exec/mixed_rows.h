// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/exec/gpu/collect_sink.h"
#include "engine/exec/mixed_sink.h"
#include "engine/exec/partition_rows.h"
#include "engine/exec/state/row_buffer.h"

namespace shadowvm::exec {

// Rows that leave a pipeline, found by cores and by a card, in the order in which they entered it.
// 'workers' and 'card' outlive it.
class MixedRows : public MixedSink {
 public:
  MixedRows(memory::MemoryBudget* budget, const schedule::Workers& workers,
            const std::vector<RowColumn>& columns, CollectSink* card);

  base::Status Bind(int worker, int64_t contest, kernels::KernelCall* call) override;
  void NoteUnit(int worker, int64_t contest, const schedule::Partition& unit) override;
  base::Status StatusOf(int worker) const override;
  ApartSink* card() override { return &card_; }
  base::Status AddBatch(const schedule::Partition& first) override;
  void AddContests(const Won& won) override;

  // All of them, once those of contests were added.
  base::Result<RowSet> TakeRows();

 private:
  memory::MemoryBudget* const budget_;
  const schedule::Workers& workers_;
  const std::vector<RowColumn> columns_;
  CollectSink& card_;
  std::vector<std::unique_ptr<RowBuffer>> buffers_;  // of the workers, then of the card's batches
  std::vector<std::vector<PartitionRows::Found>> of_workers_;
  struct Batch {
    schedule::Partition first;
    CollectSink::Found found;
  };
  std::vector<Batch> batches_;
  std::vector<PartitionRows::Found> won_;
};

}  // namespace shadowvm::exec
