// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace shadowvm::memory {

// Anonymous memory straight from the kernel. The whole 2 MiB pieces lie on huge pages, the tail on
// small ones, so a buffer a little over 2 MiB does not cost 4.
struct Mapping {
  uint8_t* data = nullptr;
  int64_t size = 0;
};

// Null data when the machine has no more.
Mapping Map(int64_t size);
void Unmap(Mapping mapping);

// Mappings that were just given back, kept warm: a query that reads segment after segment reuses
// pages that are already there instead of paying a fault for each. Bounded; thread-safe.
class MappingPool {
 public:
  explicit MappingPool(int64_t max_bytes) : max_bytes_(max_bytes) {}
  ~MappingPool() { Trim(0); }

  // A mapping of 'size' bytes or at most a quarter more; null data if none is there.
  Mapping Take(int64_t size);
  void Put(Mapping mapping);
  // Unmaps the oldest until at most 'bytes' are left.
  void Trim(int64_t bytes);
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  const int64_t max_bytes_;
  std::atomic<int64_t> bytes_{0};
  std::mutex mutex_;
  std::vector<Mapping> free_;
};

}  // namespace shadowvm::memory
