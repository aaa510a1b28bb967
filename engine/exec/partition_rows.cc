// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/partition_rows.h"

#include <algorithm>
#include <utility>

namespace shadowvm::exec {

int64_t PartitionRows::Add(int worker, const schedule::Partition& partition, int64_t num_rows) {
  std::vector<Found>& found = workers_[worker];
  const int64_t begin = found.empty() ? 0 : found.back().rows.end;
  found.push_back({partition, {worker, begin, num_rows}});
  const int64_t added = num_rows - begin;
  return total_.fetch_add(added, std::memory_order_relaxed) + added;
}

std::vector<RowStretch> PartitionRows::InOrder() const {
  std::vector<Found> all;
  for (const auto& worker : workers_) all.insert(all.end(), worker.begin(), worker.end());
  return InOrder(std::move(all));
}

std::vector<RowStretch> PartitionRows::InOrder(std::vector<Found> all) {
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    return std::pair(a.partition.segment, a.partition.row_begin) <
           std::pair(b.partition.segment, b.partition.row_begin);
  });
  std::vector<RowStretch> stretches;
  for (const Found& found : all) stretches.push_back(found.rows);
  return stretches;
}

}  // namespace shadowvm::exec
