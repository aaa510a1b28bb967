// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace shadowvm::schedule {

// A unit of work: rows [row_begin, row_end) of one segment.
struct Partition {
  int segment = 0;
  int64_t row_begin = 0;
  int64_t row_end = 0;
  bool operator==(const Partition&) const = default;
};

// A segment that is to be worked on.
struct SegmentWork {
  int segment = 0;
  int64_t num_rows = 0;
  // In memory: cut into partitions that any worker may take. Otherwise whoever takes it reads it,
  // and works on all of it while it is warm in that core's cache.
  bool resident = true;
};

inline constexpr int64_t kPartitionRows = int64_t{128} << 10;
// In mode mixed: smaller, because both sides are to end at the same time.
inline constexpr int64_t kUnitRows = int64_t{64} << 10;

// The partitions of segments, in order.
std::vector<Partition> CutIntoPartitions(const std::vector<SegmentWork>& segments,
                                         int64_t partition_rows);

// The partitions of one pipeline, handed out in order, each once. Next is thread-safe.
class PartitionQueue {
 public:
  explicit PartitionQueue(const std::vector<SegmentWork>& segments,
                          int64_t partition_rows = kPartitionRows)
      : partitions_(CutIntoPartitions(segments, partition_rows)) {}

  std::optional<Partition> Next();
  int64_t num_partitions() const { return static_cast<int64_t>(partitions_.size()); }

 private:
  const std::vector<Partition> partitions_;
  std::atomic<size_t> next_{0};
};

}  // namespace shadowvm::schedule
