// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/memory/budget.h"

#include <algorithm>
#include <string>

#include "engine/memory/mapping_pool.h"

namespace shadowvm::memory {
namespace {

constexpr int64_t kMaxPooled = int64_t{256} << 20;

}  // namespace

MemoryBudget::MemoryBudget(int64_t limit)
    : limit_(limit), pool_(std::make_unique<MappingPool>(std::min(limit / 8, kMaxPooled))) {}

MemoryBudget::~MemoryBudget() = default;

bool MemoryBudget::TryReserve(int64_t bytes) {
  int64_t used = used_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_ - used) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
  const int64_t now = used + bytes;
  int64_t peak = peak_.load(std::memory_order_relaxed);
  while (peak < now && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  if (now + pool_->bytes() > limit_) pool_->Trim(limit_ - now);
  return true;
}

base::Status MemoryBudget::Reserve(int64_t bytes, std::string_view what) {
  if (TryReserve(bytes)) return base::Status::OK();
  {
    std::lock_guard lock(reclaimers_mutex_);
    for (Reclaimer* reclaimer : reclaimers_) {
      reclaimer->Reclaim(bytes);
      if (TryReserve(bytes)) return base::Status::OK();
    }
  }
  return base::MakeError(base::ErrorCode::kOutOfMemory, std::string(what) + " needs " +
                                                            std::to_string(bytes) + " bytes, " +
                                                            std::to_string(used()) + " of " +
                                                            std::to_string(limit_) + " are in use");
}

void MemoryBudget::AddReclaimer(Reclaimer* reclaimer) {
  std::lock_guard lock(reclaimers_mutex_);
  reclaimers_.push_back(reclaimer);
}

void MemoryBudget::RemoveReclaimer(Reclaimer* reclaimer) {
  std::lock_guard lock(reclaimers_mutex_);
  std::erase(reclaimers_, reclaimer);
}

}  // namespace shadowvm::memory
