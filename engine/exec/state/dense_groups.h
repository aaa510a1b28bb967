// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/exec/state/accumulator.h"
#include "engine/exec/state/group_codes.h"
#include "engine/exec/state/sort_order.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

// One part of a dense group's slot number: slot = Σ code × stride.
struct DenseKey {
  uint32_t size = 1;       // codes 0 … size - 1
  int64_t origin = 0;      // key of a column: the value (or dictionary code) with code 0
  int64_t null_code = -1;  // key of a column: the code of null, -1 = never null

  // Key of a join: code c > 0 stands for build row representatives[c - 1]; slots with code 0 are
  // trash.
  std::shared_ptr<const GroupCodes> codes;
  std::shared_ptr<const RowSet> build_rows;

  static DenseKey Column(int64_t min, int64_t max, bool nullable);
  static DenseKey Join(std::shared_ptr<const GroupCodes> codes,
                       std::shared_ptr<const RowSet> build_rows);
};

// The values that codes of a column's key stand for.
void WriteColumnKey(const DenseKey& key, std::span<const uint32_t> codes, RowData* data);

// A column of the answer that is made from a key's code.
struct DenseKeyColumn {
  RowColumn column;
  int key = 0;
  int payload = 0;  // key of a join: the column of the build rows
};

// Slots in the order that a sort of the groups puts them in, whichever of them have rows: known
// before any row is, and the same for every run.
struct SlotOrder {
  std::vector<uint32_t> slots;
  RowSet keys;  // key columns of these slots
};

struct DenseGroupsOptions {
  std::vector<DenseKey> keys;  // none: one group, which is there even without rows
  std::vector<Accumulator> accumulators;
  int presence = 0;  // ordinal of the accumulator that counts every row
};

// Groups in arrays addressed by key codes, one per worker. Fault point exec.merge.
class DenseGroups {
 public:
  static constexpr uint64_t kMaxSlots = 64 << 10;
  // Of more, sorting the groups that are there may be sooner done than sorting all there could be.
  static constexpr uint64_t kMaxOrderedSlots = 4 << 10;

  // The number of slots, or nothing when there are more than kMaxSlots.
  static std::optional<uint64_t> NumSlots(std::span<const DenseKey> keys);

  // The keys must not need more than kMaxSlots.
  DenseGroups(memory::MemoryBudget* budget, DenseGroupsOptions options, int num_workers);

  // Per key, for KernelCall::strides.
  const std::vector<uint64_t>& strides() const { return strides_; }
  int row_words() const { return row_words_; }
  uint64_t num_slots() const { return num_slots_; }
  // A worker's array, made on its first call: KernelCall::dense. Each worker calls for itself.
  base::Result<int64_t*> Slots(int worker);

  // An array of nobody's, without rows yet: for results of which it is not known whether they
  // count. Thread-safe.
  using Array = std::shared_ptr<memory::Buffer>;
  base::Result<Array> MakeArray() const;
  // Adds one array's groups to another's.
  base::Status MergeArray(const int64_t* from, int64_t* into) const;
  // Adds an array to those of the workers. By one thread, when the workers are done.
  void AddArray(Array array) { arrays_.push_back(std::move(array)); }

  // Gives all arrays back, so that others may be filled.
  void Reset();

  // Adds all arrays up into one. To be called once, before Emit.
  base::Status Merge(const schedule::Workers& workers);
  // Groups that rows fell into: key columns, then aggregates.
  base::Result<RowSet> Emit(std::span<const DenseKeyColumn> key_columns,
                            std::span<const AggregateOutput> outputs) const;

  // The order of slots by columns among 'key_columns'. After Merge.
  base::Result<SlotOrder> OrderSlots(std::span<const DenseKeyColumn> key_columns,
                                     std::span<const SortColumn> by,
                                     const schedule::Workers& workers) const;
  // What Emit gives, sorted.
  base::Result<RowSet> EmitInOrder(const SlotOrder& order, std::span<const AggregateOutput> outputs,
                                   const schedule::Workers& workers) const;

 private:
  // Slots, and by key the code of each. In arrays as long as there are slots: growing
  // would take longer than what they are made for.
  struct Found {
    explicit Found(size_t num_slots, size_t num_keys)
        : groups(std::make_unique_for_overwrite<const int64_t*[]>(num_slots)),
          codes(std::make_unique_for_overwrite<uint32_t[]>(num_slots * num_keys)),
          most(num_slots) {}
    std::span<const uint32_t> codes_of(int key) const {
      return {codes.get() + static_cast<size_t>(key) * most, count};
    }

    std::unique_ptr<const int64_t*[]> groups;
    std::unique_ptr<uint32_t[]> codes;  // key by key
    size_t most;
    size_t count = 0;
  };
  enum class Which : uint8_t { kAll, kWithRows };
  Found FindGroups(Which which) const;
  base::Result<RowSet> EmitKeys(const Found& found,
                                std::span<const DenseKeyColumn> key_columns) const;
  // Adds the aggregates' columns.
  base::Status EmitOutputs(const int64_t* const* groups, std::span<const AggregateOutput> outputs,
                           RowSet* rows) const;
  // Rows of a join without a match fell into groups of code 0.
  bool IsDropped(size_t key, uint32_t code) const;
  void AddNeighbours(uint64_t slot, std::span<const uint32_t> codes, Which which,
                     Found* found) const;
  base::Status MergeSlots(const int64_t* from, int64_t* into, int64_t begin, int64_t end) const;

  memory::MemoryBudget* budget_;
  DenseGroupsOptions options_;
  std::vector<uint64_t> strides_;
  uint64_t num_slots_ = 1;
  int row_words_ = 0;
  const size_t num_workers_;
  std::vector<Array> arrays_;  // per worker, then those that were added
  int64_t* merged_ = nullptr;
};

}  // namespace shadowvm::exec
