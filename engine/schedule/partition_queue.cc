// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/partition_queue.h"

#include <algorithm>

namespace shadowvm::schedule {

std::vector<Partition> CutIntoPartitions(const std::vector<SegmentWork>& segments,
                                         int64_t partition_rows) {
  int64_t rows = 0;
  for (const SegmentWork& work : segments) rows += work.num_rows;
  std::vector<Partition> partitions;
  partitions.reserve(static_cast<size_t>(rows / partition_rows) + segments.size());
  for (const SegmentWork& work : segments) {
    const int64_t step = work.resident ? partition_rows : work.num_rows;
    for (int64_t row = 0; row < work.num_rows; row += step) {
      partitions.push_back({work.segment, row, std::min(row + step, work.num_rows)});
    }
  }
  return partitions;
}

std::optional<Partition> PartitionQueue::Next() {
  const size_t index = next_.fetch_add(1, std::memory_order_relaxed);
  if (index >= partitions_.size()) return std::nullopt;
  return partitions_[index];
}

}  // namespace shadowvm::schedule
