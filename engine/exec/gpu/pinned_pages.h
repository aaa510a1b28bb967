// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "engine/device/guarded_device.h"
#include "engine/memory/buffer.h"
#include "engine/memory/mapping_pool.h"

namespace shadowvm::exec {

// The host's pages that a device reads in place. Pinning pages takes a third to half a second a
// gigabyte, so it is done once for pages that are in use again and again, by a thread of its own,
// and lasts until the pages go back to the system. Thread-safe.
class PinnedPages : public memory::MappingWatcher {
 public:
  // Watches the pool's mappings; both outlive this.
  PinnedPages(device::GuardedDevice* device, memory::MappingPool* pool);
  ~PinnedPages() override;

  // Where the device sees the buffer's bytes; 0: it does not.
  device::DeviceAddress Find(const memory::Buffer& buffer) const;
  // Has the buffer's pages pinned by and by, if it has any. Pages that could not be pinned once are
  // not tried again.
  void Want(std::shared_ptr<const memory::Buffer> buffer);
  // Waits until nothing is wanted any more.
  void Await();

  int64_t bytes() const;  // pinned

  void BeforeUnmap(const memory::Mapping& mapping) override;
  // A device that hangs may write to pinned pages at any time.
  bool MayServeAgain(const memory::Mapping& mapping) override;

 private:
  // Of pages that were wanted.
  struct Pinned {
    int64_t bytes = 0;            // 0: refused, or not yet
    device::HostMapping mapping;  // address 0: likewise
  };
  void Work();
  void Pin(const memory::Mapping& pages);

  device::GuardedDevice& device_;
  memory::MappingPool& pool_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::unordered_map<const uint8_t*, Pinned> pages_;  // by their first byte
  std::deque<std::shared_ptr<const memory::Buffer>> wanted_;
  bool busy_ = false;
  bool stop_ = false;
  int64_t bytes_ = 0;
  std::thread worker_;
};

}  // namespace shadowvm::exec
