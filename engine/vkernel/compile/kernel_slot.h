// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/kernel.h"

namespace shadowvm::vkernel {

// One kernel as its callers see it: the best code there is so far. It starts with fast-compiled
// code; full code replaces it when it is ready. Callers read entry() once per partition. Replaced
// code stays loaded as long as the slot, so a partition that still runs it is safe.
class KernelSlot {
 public:
  KernelSlot(std::string name, std::string log) : name_(std::move(name)), log_(std::move(log)) {}

  KernelEntry entry() const { return entry_.load(std::memory_order_acquire); }
  OptLevel level() const { return level_.load(std::memory_order_acquire); }
  const std::string& name() const { return name_; }
  const std::string& log() const { return log_; }  // of the compile that made the slot

  // A further entry of the text, in the best code there is so far.
  base::Result<KernelEntry> Find(const std::string& symbol) const {
    std::lock_guard lock(mutex_);
    return kernels_.back()->Find(symbol);
  }

  // True for the first who asks while the code is still the fast one: to make the full one is his.
  bool ClaimFull() { return level() == OptLevel::kFast && !full_claimed_.exchange(true); }

  int64_t num_bytes() const { return num_bytes_; }  // of all code it holds

  // Makes a kernel the current one; num_bytes is the size of its object.
  void Install(std::unique_ptr<Kernel> kernel, OptLevel level, size_t num_bytes) {
    num_bytes_ += static_cast<int64_t>(num_bytes);
    std::lock_guard lock(mutex_);
    entry_.store(kernel->entry(), std::memory_order_release);
    level_.store(level, std::memory_order_release);
    kernels_.push_back(std::move(kernel));
  }

 private:
  const std::string name_;
  const std::string log_;
  std::atomic<KernelEntry> entry_{nullptr};
  std::atomic<OptLevel> level_{OptLevel::kFast};
  std::atomic<int64_t> num_bytes_{0};
  std::atomic<bool> full_claimed_{false};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
};

}  // namespace shadowvm::vkernel
