// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/segment.h"
#include "engine/memory/budget.h"

namespace shadowvm::storage {

// Names one column of one segment. 'table' stands for a list of file identities: a changed file
// makes another table.
struct SegmentKey {
  uint64_t table = 0;
  int column = 0;
  int segment = 0;
  int version = 0;  // of the column's layout
  auto operator<=>(const SegmentKey&) const = default;
};

// Decoded column segments under a byte limit, least recently used ones dropped first. A segment
// that does not fit is admitted only at the cost of other tables or of what earlier queries left,
// never of what the same query of the same table just put there: a table larger than the cache
// keeps a resident part instead of pushing itself out in turns.
//
// Thread-safe. The bytes are those of the budget's buffers; under pressure the budget takes them
// back.
class SegmentCache : public memory::Reclaimer {
 public:
  using Segment = std::shared_ptr<const columns::ColumnSegment>;
  using Load = std::function<base::Result<Segment>()>;

  SegmentCache(memory::MemoryBudget* budget, int64_t limit);
  ~SegmentCache() override;

  // The segment if it is there; otherwise 'load' makes it, once for all who ask at the same time.
  // 'generation' is the asking query's. A loaded segment is kept if there is room. Fault point
  // "storage.cache.insert".
  base::Result<Segment> GetOrLoad(const SegmentKey& key, uint64_t generation, const Load& load);
  // The segment, or null; never loads.
  Segment Find(const SegmentKey& key, uint64_t generation);
  // Many at once: by key the segment, or null.
  std::vector<Segment> FindAll(std::span<const SegmentKey> keys, uint64_t generation);
  // Whether it is there; does not count as a use.
  bool Contains(const SegmentKey& key) const;
  // Whether a segment of that size would be kept now.
  bool HasRoom(const SegmentKey& key, uint64_t generation, int64_t bytes);

  uint64_t NewTable() { return next_table_.fetch_add(1, std::memory_order_relaxed); }
  uint64_t NewGeneration() { return next_generation_.fetch_add(1, std::memory_order_relaxed); }

  // Drops everything, a table, or a column of one.
  void Clear();
  void DropTable(uint64_t table);
  void DropColumn(uint64_t table, int column);
  void Reclaim(int64_t bytes) override;

  struct Counters {
    int64_t hits = 0;
    int64_t misses = 0;
    int64_t evictions = 0;
    int64_t bytes = 0;
    int64_t entries = 0;
  };
  Counters counters() const;
  int64_t limit() const { return limit_; }

 private:
  struct Entry {
    SegmentKey key;
    Segment segment;
    int64_t bytes = 0;
    uint64_t generation = 0;
  };
  using Entries = std::list<Entry>;  // most recently used first
  using Dropped = std::list<Entry>;
  struct KeyHash {
    size_t operator()(const SegmentKey& key) const;
  };

  Segment FindLocked(const SegmentKey& key, uint64_t generation);
  bool MakeRoomLocked(const SegmentKey& key, uint64_t generation, int64_t bytes, Dropped* dropped);
  base::Status Insert(const SegmentKey& key, uint64_t generation, const Segment& segment);
  void DropIf(const std::function<bool(const SegmentKey&)>& condition);
  void DropLocked(Entries::iterator entry, Dropped* dropped);

  memory::MemoryBudget* budget_;
  const int64_t limit_;
  std::atomic<uint64_t> next_table_{1};
  std::atomic<uint64_t> next_generation_{1};
  mutable std::mutex mutex_;
  std::condition_variable loaded_;
  Entries entries_;
  std::unordered_map<SegmentKey, Entries::iterator, KeyHash> by_key_;
  std::set<SegmentKey> loading_;
  Counters counters_;
};

}  // namespace shadowvm::storage
