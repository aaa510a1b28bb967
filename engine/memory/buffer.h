// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/base/status.h"
#include "engine/memory/budget.h"

namespace shadowvm::memory {

struct Mapping;

// A run of bytes counted against a budget: 64-byte aligned, followed by kPadding readable and
// writable bytes. Large ones lie on huge pages. Contents start undefined unless asked for zeroes.
class Buffer {
  struct Allocation;

 public:
  static constexpr int64_t kPadding = 64;
  enum class Fill { kNone, kZero };

  // Fault point "memory.buffer". kOutOfMemory naming 'what' when the budget or the machine has no
  // more.
  static base::Result<std::shared_ptr<Buffer>> Make(MemoryBudget* budget, int64_t size,
                                                    std::string_view what, Fill fill = Fill::kNone);
  // For Make alone.
  Buffer(MemoryBudget* budget, const Allocation& allocation, int64_t size);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  int64_t size() const { return size_; }
  template <typename T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <typename T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  friend Mapping PagesOf(const Buffer& buffer);
  static Allocation TakePooled(MemoryBudget* budget, int64_t size);
  static Allocation Allocate(int64_t size);

  MemoryBudget* budget_;
  uint8_t* start_;  // of what was allocated
  uint8_t* data_;
  int64_t size_;
  int64_t allocated_;
};

}  // namespace shadowvm::memory
