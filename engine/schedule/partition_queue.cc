// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/partition_queue.h"

#include <algorithm>

namespace shadowvm::schedule {

std::vector<Partition> CutIntoPartitions(const std::vector<SegmentWork>& segments,
                                         int64_t partition_rows) {
  const auto step_of = [&](const SegmentWork& work) {
    return work.resident ? partition_rows : work.num_rows;
  };
  size_t count = 0;
  for (const SegmentWork& work : segments) {
    if (work.num_rows > 0) count += static_cast<size_t>((work.num_rows - 1) / step_of(work)) + 1;
  }
  std::vector<Partition> partitions;
  partitions.reserve(count);
  for (const SegmentWork& work : segments) {
    const int64_t step = step_of(work);
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
