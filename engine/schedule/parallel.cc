// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/schedule/parallel.h"

#include <algorithm>
#include <atomic>

namespace shadowvm::schedule {
namespace {

base::Status CheckCancelled(const Workers& workers) {
  return workers.cancel == nullptr ? base::Status::OK() : workers.cancel->Check();
}

int WorkersFor(const Workers& workers, int64_t tasks) {
  return static_cast<int>(std::min<int64_t>(tasks, workers.count()));
}

}  // namespace

base::Status ParallelFor(const Workers& workers, int64_t num_tasks, const TaskFunction& task) {
  if (num_tasks == 0) return CheckCancelled(workers);
  std::atomic<int64_t> next{0};
  const auto step = [&](int worker) -> base::Result<bool> {
    const int64_t index = next.fetch_add(1, std::memory_order_relaxed);
    if (index >= num_tasks) return false;
    SVM_RETURN_NOT_OK(CheckCancelled(workers));
    SVM_RETURN_NOT_OK(task(worker, index));
    return index + 1 < num_tasks;
  };
  return workers.device->Run(step, WorkersFor(workers, num_tasks));
}

base::Status ParallelRanges(const Workers& workers, int64_t count, int64_t smallest,
                            const RangeFunction& range) {
  const int64_t most = std::max<int64_t>(1, count / std::max<int64_t>(1, smallest));
  const int64_t ranges = std::min<int64_t>(most, workers.count());
  return ParallelFor(workers, ranges, [&](int worker, int64_t task) {
    return range(worker, count * task / ranges, count * (task + 1) / ranges);
  });
}

base::Status RunPartitions(const Workers& workers, PartitionQueue* queue,
                           const PartitionFunction& function) {
  if (queue->num_partitions() == 0) return CheckCancelled(workers);
  const auto step = [&](int worker) -> base::Result<bool> {
    SVM_RETURN_NOT_OK(CheckCancelled(workers));
    const std::optional<Partition> partition = queue->Next();
    if (!partition.has_value()) return false;
    SVM_RETURN_NOT_OK(function(worker, *partition));
    return true;
  };
  SVM_RETURN_NOT_OK(workers.device->Run(step, WorkersFor(workers, queue->num_partitions())));
  // The last partition may have been left in the middle, when its kernel saw the flag: half an
  // answer must not pass for one.
  return CheckCancelled(workers);
}

}  // namespace shadowvm::schedule
