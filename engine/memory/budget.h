// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace shadowvm::memory {

class MappingPool;

// Something that holds memory it could do without, such as a cache. Called from any thread that
// runs short, never while the budget's owner holds a lock of its own; must not call Reserve.
class Reclaimer {
 public:
  virtual ~Reclaimer() = default;
  // Gives back about 'bytes' if it can.
  virtual void Reclaim(int64_t bytes) = 0;
};

// The bytes an engine may hold, counted. Everything that grows with data is reserved here first:
// segments, states, results. Thread-safe. Outlives every buffer made from it.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit);
  ~MemoryBudget();
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // kOutOfMemory naming 'what' when the limit would be passed even after unused mappings were
  // dropped and reclaimers asked.
  base::Status Reserve(int64_t bytes, std::string_view what);
  void Release(int64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  void AddReclaimer(Reclaimer* reclaimer);
  void RemoveReclaimer(Reclaimer* reclaimer);

  int64_t limit() const { return limit_; }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t peak() const { return peak_.load(std::memory_order_relaxed); }

  // Free mappings kept for the next buffer. Their bytes are not in used(), yet used() and they
  // together stay below the limit.
  MappingPool* pool() { return pool_.get(); }

 private:
  bool TryReserve(int64_t bytes);

  const int64_t limit_;
  std::atomic<int64_t> used_{0};
  std::atomic<int64_t> peak_{0};
  std::unique_ptr<MappingPool> pool_;
  std::mutex reclaimers_mutex_;
  std::vector<Reclaimer*> reclaimers_;
};

}  // namespace shadowvm::memory
