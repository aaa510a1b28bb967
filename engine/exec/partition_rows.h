// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "engine/exec/state/row_buffer.h"
#include "engine/schedule/partition_queue.h"

namespace shadowvm::exec {

// Which rows of the workers' buffers came from which partition, so that rows leave a pipeline in
// the order they entered it, whoever was faster.
class PartitionRows {
 public:
  explicit PartitionRows(int num_workers) : workers_(num_workers) {}

  // Called by a worker after a partition, with the rows its buffer holds now. Answers with the rows
  // that all workers have found so far.
  int64_t Add(int worker, const schedule::Partition& partition, int64_t num_rows);

  // Every stretch, by its partition's place. Call it when all workers are done.
  std::vector<RowStretch> InOrder() const;

  // Rows of a partition, or of several that begin with it.
  struct Found {
    schedule::Partition partition;
    RowStretch rows;
    int64_t contest = -1;  // that it was found for, if any
  };
  static std::vector<RowStretch> InOrder(std::vector<Found> all);

 private:
  std::vector<std::vector<Found>> workers_;
  std::atomic<int64_t> total_{0};
};

}  // namespace shadowvm::exec
