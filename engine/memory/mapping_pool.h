// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
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

class Buffer;
// The pages that are a buffer's alone, from its first byte to behind its padding; null data when it
// is too small to have any. The whole mapping, whoever had it before: a driver refuses to copy to
// pages of which it knows some and others not.
Mapping PagesOf(const Buffer& buffer);

// Told of pages before they go: a device that reads them in place must forget them first. Called
// from any thread that gives memory back; must not give back memory itself.
class MappingWatcher {
 public:
  virtual ~MappingWatcher() = default;
  virtual void BeforeUnmap(const Mapping& mapping) = 0;
  // Whether pages that were given back may serve another buffer. False where a device may still
  // write to them; they are unmapped then, and what it writes is seen by nobody.
  virtual bool MayServeAgain(const Mapping& mapping) = 0;
};

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
  // Unmaps one that was taken or mapped.
  void Drop(Mapping mapping);
  // There is one at a time: the last that was set.
  void SetWatcher(MappingWatcher* watcher);
  // Once this returns no call of it is under way. One that took its place stays.
  void RemoveWatcher(MappingWatcher* watcher);
  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  bool MayServeAgain(const Mapping& mapping);

  const int64_t max_bytes_;
  std::atomic<int64_t> bytes_{0};
  std::mutex mutex_;
  std::vector<Mapping> free_;
  std::shared_mutex watcher_mutex_;
  MappingWatcher* watcher_ = nullptr;
};

}  // namespace shadowvm::memory
