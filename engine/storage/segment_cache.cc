// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/segment_cache.h"

#include <new>
#include <utility>

#include "engine/base/fault.h"

namespace shadowvm::storage {
namespace {

// Whoever waits for a segment must hear of its end, however it ends.
base::Result<SegmentCache::Segment> LoadGuarded(const SegmentCache::Load& load) {
  try {
    return load();
  } catch (const std::bad_alloc&) {
    return base::MakeError(base::ErrorCode::kOutOfMemory, "no memory to decode a segment");
  }
}

}  // namespace

SegmentCache::SegmentCache(memory::MemoryBudget* budget, int64_t limit)
    : budget_(budget), limit_(limit) {
  budget_->AddReclaimer(this);
}

SegmentCache::~SegmentCache() { budget_->RemoveReclaimer(this); }

size_t SegmentCache::KeyHash::operator()(const SegmentKey& key) const {
  uint64_t hash = key.table * 0x9e3779b97f4a7c15u;
  hash ^= (uint64_t(key.column) << 40) ^ (uint64_t(key.version) << 32) ^ uint64_t(key.segment);
  hash *= 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 31);
}

SegmentCache::Segment SegmentCache::FindLocked(const SegmentKey& key, uint64_t generation) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  Entry& entry = *found->second;
  entry.generation = std::max(entry.generation, generation);
  entries_.splice(entries_.begin(), entries_, found->second);
  ++counters_.hits;
  return entry.segment;
}

SegmentCache::Segment SegmentCache::Find(const SegmentKey& key, uint64_t generation) {
  std::lock_guard lock(mutex_);
  return FindLocked(key, generation);
}

std::vector<SegmentCache::Segment> SegmentCache::FindAll(std::span<const SegmentKey> keys,
                                                         uint64_t generation) {
  std::vector<Segment> found;
  found.reserve(keys.size());
  std::lock_guard lock(mutex_);
  for (const SegmentKey& key : keys) found.push_back(FindLocked(key, generation));
  return found;
}

bool SegmentCache::Contains(const SegmentKey& key) const {
  std::lock_guard lock(mutex_);
  return by_key_.contains(key);
}

base::Result<SegmentCache::Segment> SegmentCache::GetOrLoad(const SegmentKey& key,
                                                            uint64_t generation, const Load& load) {
  {
    std::unique_lock lock(mutex_);
    loaded_.wait(lock, [&] { return !loading_.contains(key); });
    if (Segment segment = FindLocked(key, generation)) return segment;
    ++counters_.misses;
    loading_.insert(key);
  }
  base::Result<Segment> segment = LoadGuarded(load);
  base::Status inserted;
  if (segment.ok()) inserted = Insert(key, generation, *segment);
  {
    std::lock_guard lock(mutex_);
    loading_.erase(key);
  }
  loaded_.notify_all();
  SVM_RETURN_NOT_OK(inserted);
  return segment;
}

bool SegmentCache::MakeRoomLocked(const SegmentKey& key, uint64_t generation, int64_t bytes,
                                  Dropped* dropped) {
  if (bytes > limit_) return false;
  while (counters_.bytes + bytes > limit_) {
    const auto last = std::prev(entries_.end());
    if (last->key.table == key.table && last->generation >= generation) return false;
    if (dropped == nullptr) return true;
    ++counters_.evictions;
    DropLocked(last, dropped);
  }
  return true;
}

bool SegmentCache::HasRoom(const SegmentKey& key, uint64_t generation, int64_t bytes) {
  std::lock_guard lock(mutex_);
  return MakeRoomLocked(key, generation, bytes, nullptr);
}

base::Status SegmentCache::Insert(const SegmentKey& key, uint64_t generation,
                                  const Segment& segment) {
  SVM_FAULT_POINT("storage.cache.insert");
  Dropped dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  const int64_t bytes = segment->bytes();
  if (by_key_.contains(key) || !MakeRoomLocked(key, generation, bytes, &dropped)) {
    return base::Status::OK();
  }
  entries_.push_front({key, segment, bytes, generation});
  by_key_[key] = entries_.begin();
  counters_.bytes += bytes;
  return base::Status::OK();
}

void SegmentCache::DropLocked(Entries::iterator entry, Dropped* dropped) {
  counters_.bytes -= entry->bytes;
  by_key_.erase(entry->key);
  dropped->splice(dropped->end(), entries_, entry);
}

void SegmentCache::DropIf(const std::function<bool(const SegmentKey&)>& condition) {
  Dropped dropped;
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (condition(entry->key)) DropLocked(entry, &dropped);
    entry = next;
  }
}

void SegmentCache::Clear() {
  DropIf([](const SegmentKey&) { return true; });
}

void SegmentCache::DropTable(uint64_t table) {
  DropIf([=](const SegmentKey& key) { return key.table == table; });
}

void SegmentCache::DropColumn(uint64_t table, int column) {
  DropIf([=](const SegmentKey& key) { return key.table == table && key.column == column; });
}

void SegmentCache::Reclaim(int64_t bytes) {
  Dropped dropped;
  std::lock_guard lock(mutex_);
  int64_t freed = 0;
  for (auto entry = entries_.end(); entry != entries_.begin() && freed < bytes;) {
    --entry;
    const auto next = std::next(entry);
    // A segment that a query still holds would not free anything.
    if (entry->segment.use_count() == 1) {
      freed += entry->bytes;
      ++counters_.evictions;
      DropLocked(entry, &dropped);
      entry = next;
    }
  }
}

SegmentCache::Counters SegmentCache::counters() const {
  std::lock_guard lock(mutex_);
  Counters counters = counters_;
  counters.entries = static_cast<int64_t>(entries_.size());
  return counters;
}

}  // namespace shadowvm::storage
