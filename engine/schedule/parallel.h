// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <functional>

#include "engine/base/status.h"
#include "engine/device/device.h"
#include "engine/schedule/cancel_token.h"
#include "engine/schedule/partition_queue.h"

namespace shadowvm::schedule {

// Where work runs and what stops it: handed to every build, merge and sort.
struct Workers {
  device::Device* device = nullptr;
  const CancelToken* cancel = nullptr;  // may be null

  int count() const { return device->num_workers(); }
};

using TaskFunction = std::function<base::Status(int worker, int64_t task)>;
using PartitionFunction = std::function<base::Status(int worker, const Partition& partition)>;

// Runs task(worker, 0 … num_tasks - 1), each once, over the workers; in the calling thread alone
// when there is one. Stops at the first error, and with kCancelled between tasks.
base::Status ParallelFor(const Workers& workers, int64_t num_tasks, const TaskFunction& task);

// Runs [0, count) in about equal contiguous ranges, one per worker, or in one when there are fewer
// than 'smallest' a worker: range(worker, begin, end).
using RangeFunction = std::function<base::Status(int worker, int64_t begin, int64_t end)>;
base::Status ParallelRanges(const Workers& workers, int64_t count, int64_t smallest,
                            const RangeFunction& range);

// Works a queue off.
base::Status RunPartitions(const Workers& workers, PartitionQueue* queue,
                           const PartitionFunction& function);

}  // namespace shadowvm::schedule
