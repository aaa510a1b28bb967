// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/pinned_pages.h"

#include <utility>

namespace shadowvm::exec {

PinnedPages::PinnedPages(device::GuardedDevice* device, memory::MappingPool* pool)
    : device_(*device), pool_(*pool) {
  pool_.SetWatcher(this);
  worker_ = std::thread([this] { Work(); });
}

PinnedPages::~PinnedPages() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  worker_.join();
  wanted_.clear();
  pool_.RemoveWatcher(this);
}

device::DeviceAddress PinnedPages::Find(const memory::Buffer& buffer) const {
  std::lock_guard lock(mutex_);
  const auto found = pages_.find(buffer.data());
  return found != pages_.end() ? found->second.mapping.address() : 0;
}

void PinnedPages::Want(std::shared_ptr<const memory::Buffer> buffer) {
  const memory::Mapping pages = memory::PagesOf(*buffer);
  if (pages.data == nullptr) return;
  {
    std::lock_guard lock(mutex_);
    if (!pages_.try_emplace(pages.data).second) return;
    wanted_.push_back(std::move(buffer));
  }
  wake_.notify_all();
}

void PinnedPages::Await() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return wanted_.empty() && !busy_; });
}

int64_t PinnedPages::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

void PinnedPages::BeforeUnmap(const memory::Mapping& mapping) {
  // Unpinned when the lock is gone: others need not wait for the driver.
  Pinned gone;
  std::lock_guard lock(mutex_);
  const auto found = pages_.find(mapping.data);
  if (found == pages_.end()) return;
  gone = std::move(found->second);
  bytes_ -= gone.bytes;
  pages_.erase(found);
}

bool PinnedPages::MayServeAgain(const memory::Mapping& mapping) {
  if (!device_.hangs()) return true;
  std::lock_guard lock(mutex_);
  const auto found = pages_.find(mapping.data);
  return found == pages_.end() || found->second.bytes == 0;
}

void PinnedPages::Work() {
  for (;;) {
    // Holding the buffer keeps its pages. It goes when no lock is held: its pages may go with it.
    std::shared_ptr<const memory::Buffer> buffer;
    {
      std::unique_lock lock(mutex_);
      busy_ = false;
      if (wanted_.empty()) done_.notify_all();
      wake_.wait(lock, [this] { return stop_ || !wanted_.empty(); });
      if (stop_) return;
      buffer = std::move(wanted_.front());
      wanted_.pop_front();
      busy_ = true;
    }
    Pin(memory::PagesOf(*buffer));
  }
}

void PinnedPages::Pin(const memory::Mapping& pages) {
  auto mapped = device_.MapHost(pages.data, pages.size);
  if (!mapped.ok()) return;
  std::lock_guard lock(mutex_);
  Pinned& pinned = pages_[pages.data];
  pinned.mapping = std::move(*mapped);
  pinned.bytes = pages.size;
  bytes_ += pages.size;
}

}  // namespace shadowvm::exec
