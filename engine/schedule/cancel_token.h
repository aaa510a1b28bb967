// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>

#include "engine/base/status.h"

namespace shadowvm::schedule {

// Says that a query is to stop. Set from any thread, looked at by its steps and, through flag(), by
// kernels between tiles.
class CancelToken {
 public:
  void Cancel() { cancelled_.store(1, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed) != 0; }

  base::Status Check() const {
    if (!cancelled()) return base::Status::OK();
    return base::MakeError(base::ErrorCode::kCancelled, "the query was cancelled");
  }

  // For KernelCall::cancelled, which knows no atomics.
  const volatile uint32_t* flag() const {
    static_assert(sizeof(cancelled_) == sizeof(uint32_t));
    return reinterpret_cast<const volatile uint32_t*>(&cancelled_);
  }

 private:
  std::atomic<uint32_t> cancelled_{0};
};

}  // namespace shadowvm::schedule
