// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/exec/state/accumulator.h"
#include "engine/exec/state/text_interner.h"
#include "engine/kernels/common/abi.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {

// A column of the answer that is made from a group's key words (see key_words.h; a coded column's
// word is its code).
struct HashKeyColumn {
  RowColumn column;
  int word = 0;        // its first word
  int null_word = -1;  // the word of which bit 'null_bit' says "null"; -1: never null
  int null_bit = 0;
};

// One worker's hash groups: the GroupsView of its kernel calls. Bind with call->groups = groups.
// Rows never move. Fault point exec.groups.grow.
class WorkerGroups : public kernels::GroupsView {
 public:
  // 'initial' is a whole row, key words included.
  WorkerGroups(memory::MemoryBudget* budget, std::span<const int64_t> initial, int key_words);
  WorkerGroups(const WorkerGroups&) = delete;
  WorkerGroups& operator=(const WorkerGroups&) = delete;

  // Room for one more group in a part: a slot, and a row unless only slots are asked for.
  base::Status Grow(uint32_t part, bool with_row);
  // The row with the key of 'row' in its part, or null.
  int64_t* Find(const int64_t* row, uint64_t hash) const;
  // Has the processor bring what Find will look at: first the slot, then the row that it names.
  void PrefetchSlot(uint64_t hash) const;
  void PrefetchRow(uint64_t hash) const;
  // Enters a row that lies somewhere else and stays there.
  base::Status Adopt(int64_t* row, uint64_t hash);
  uint64_t HashOf(const int64_t* row) const;
  // Enters a copy of a row, whose key is not there yet.
  base::Status Insert(const int64_t* row, uint64_t hash);

  const kernels::GroupPart& part(uint32_t index) const { return parts_[index]; }
  // Why the last growth asked for by a kernel failed.
  const base::Status& status() const { return status_; }

 private:
  struct Memory {
    std::shared_ptr<memory::Buffer> slots;
    std::vector<std::shared_ptr<memory::Buffer>> chunks;
  };

  static bool GrowFromKernel(kernels::KernelCall* call, kernels::u32 part);
  base::Status GrowSlots(uint32_t part);
  base::Status AddChunk(uint32_t part);

  memory::MemoryBudget* budget_;
  std::vector<int64_t> initial_;
  std::array<kernels::GroupPart, kernels::kRadixParts> parts_{};
  std::array<Memory, kernels::kRadixParts> memory_;
  base::Status status_;
};

// Groups in hash tables split by radix into parts, which are merged and emitted in parallel.
class HashGroups {
 public:
  HashGroups(memory::MemoryBudget* budget, std::vector<Accumulator> accumulators, int key_words,
             int num_workers);

  WorkerGroups* worker(int index) { return workers_[index].get(); }
  // Strings of plain-text keys: ids in the key words are this interner's.
  TextInterner* interner() { return &interner_; }

  // Groups of nobody's, none so far: for what may not count. Thread-safe.
  std::unique_ptr<WorkerGroups> MakeGroups() const;
  // Adds rows of whole groups, one behind another, to such groups.
  base::Status MergeRows(const int64_t* rows, int64_t count, WorkerGroups* into) const;
  // Adds such groups to those of the workers. By one thread, when the workers are done.
  void AddGroups(std::unique_ptr<WorkerGroups> groups) { workers_.push_back(std::move(groups)); }

  // Brings every part of all workers into one. To be called once, before Emit. Fault point
  // exec.merge.
  base::Status Merge(const schedule::Workers& workers);
  int64_t num_groups() const;
  // Key columns, then aggregates. The groups must stay alive as long as the rows where a column is
  // text: 'keeper' is put among the rows' keepers.
  base::Result<RowSet> Emit(std::span<const HashKeyColumn> key_columns,
                            std::span<const AggregateOutput> outputs, Keeper keeper,
                            const schedule::Workers& workers);
  // The same of rows of whole groups, one behind another, with different keys: those of the workers
  // are left out.
  base::Result<RowSet> EmitRows(std::span<const int64_t> words,
                                std::span<const HashKeyColumn> key_columns,
                                std::span<const AggregateOutput> outputs, Keeper keeper,
                                const schedule::Workers& workers) const;

 private:
  // What groups become.
  struct Columns {
    std::span<const HashKeyColumn> keys;
    std::span<const AggregateOutput> outputs;

    // Empty ones. 'keeper' is what strings point into.
    base::Result<RowSet> Make(memory::MemoryBudget* budget, int64_t count, Keeper keeper) const;
  };
  base::Status MergePart(uint32_t part);
  // Adds a block of other workers' rows to groups; those with new keys stay where they are.
  base::Status Absorb(std::span<int64_t* const> rows, WorkerGroups* into) const;
  base::Status EmitPart(uint32_t part, const Columns& columns, int64_t at, RowSet* rows) const;
  base::Status EmitGroups(std::vector<const int64_t*> groups, const Columns& columns, int64_t at,
                          RowSet* rows) const;

  memory::MemoryBudget* budget_;
  std::vector<Accumulator> accumulators_;
  int key_words_;
  std::vector<int64_t> initial_;  // a whole row
  TextInterner interner_;
  std::vector<std::unique_ptr<WorkerGroups>> workers_;
  std::array<int, kernels::kRadixParts> owner_{};  // the worker whose part holds the merged groups
};

}  // namespace shadowvm::exec
