// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/memory/mapping_pool.h"

#include <sys/mman.h>

#include <algorithm>

namespace shadowvm::memory {
namespace {

constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kSmallPage = 4096;

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Mapping Map(int64_t size) {
  const int64_t length = RoundUp(size, kSmallPage);
  const int64_t slack = length >= kHugePage ? kHugePage : 0;
  void* raw =
      mmap(nullptr, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return {};
  if (slack == 0) return {static_cast<uint8_t*>(raw), length};

  auto* begin = static_cast<uint8_t*>(raw);
  const auto address = reinterpret_cast<uintptr_t>(raw);
  const int64_t lead =
      RoundUp(static_cast<int64_t>(address), kHugePage) - static_cast<int64_t>(address);
  if (lead > 0) munmap(begin, lead);
  if (slack > lead) munmap(begin + lead + length, slack - lead);
  // Advice only: without huge pages the mapping still works.
  madvise(begin + lead, length / kHugePage * kHugePage, MADV_HUGEPAGE);
  return {begin + lead, length};
}

void Unmap(Mapping mapping) { munmap(mapping.data, mapping.size); }

Mapping MappingPool::Take(int64_t size) {
  std::lock_guard lock(mutex_);
  for (auto it = free_.rbegin(); it != free_.rend(); ++it) {
    if (it->size < size || it->size > size + size / 4 + kSmallPage) continue;
    const Mapping mapping = *it;
    free_.erase(std::next(it).base());
    bytes_.fetch_sub(mapping.size, std::memory_order_relaxed);
    return mapping;
  }
  return {};
}

void MappingPool::Put(Mapping mapping) {
  if (mapping.size > max_bytes_ || !MayServeAgain(mapping)) return Drop(mapping);
  Trim(max_bytes_ - mapping.size);
  std::lock_guard lock(mutex_);
  free_.push_back(mapping);
  bytes_.fetch_add(mapping.size, std::memory_order_relaxed);
}

void MappingPool::Trim(int64_t bytes) {
  std::vector<Mapping> dropped;
  {
    std::lock_guard lock(mutex_);
    size_t count = 0;
    while (count < free_.size() && bytes_.load(std::memory_order_relaxed) > bytes) {
      bytes_.fetch_sub(free_[count++].size, std::memory_order_relaxed);
    }
    dropped.assign(free_.begin(), free_.begin() + count);
    free_.erase(free_.begin(), free_.begin() + count);
  }
  for (const Mapping& mapping : dropped) Drop(mapping);
}

void MappingPool::Drop(Mapping mapping) {
  {
    std::shared_lock lock(watcher_mutex_);
    if (watcher_ != nullptr) watcher_->BeforeUnmap(mapping);
  }
  Unmap(mapping);
}

bool MappingPool::MayServeAgain(const Mapping& mapping) {
  std::shared_lock lock(watcher_mutex_);
  return watcher_ == nullptr || watcher_->MayServeAgain(mapping);
}

void MappingPool::SetWatcher(MappingWatcher* watcher) {
  std::unique_lock lock(watcher_mutex_);
  watcher_ = watcher;
}

void MappingPool::RemoveWatcher(MappingWatcher* watcher) {
  std::unique_lock lock(watcher_mutex_);
  if (watcher_ == watcher) watcher_ = nullptr;
}

}  // namespace shadowvm::memory
