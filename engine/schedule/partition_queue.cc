// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/partition_queue.h"

#include <algorithm>

namespace shadowvm::schedule {

PartitionQueue::PartitionQueue(const std::vector<SegmentWork>& segments, int64_t partition_rows) {
  for (const SegmentWork& work : segments) {
    const int64_t step = work.resident ? partition_rows : work.num_rows;
    for (int64_t row = 0; row < work.num_rows; row += step) {
      partitions_.push_back({work.segment, row, std::min(row + step, work.num_rows)});
    }
  }
}

std::optional<Partition> PartitionQueue::Next() {
  const size_t index = next_.fetch_add(1, std::memory_order_relaxed);
  if (index >= partitions_.size()) return std::nullopt;
  return partitions_[index];
}

}  // namespace shadowvm::schedule
