// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/columns/table.h"
#include "engine/exec/pipeline_output.h"
#include "engine/memory/budget.h"
#include "engine/plan/pipeline.h"
#include "engine/plan/plan.h"
#include "engine/storage/parquet_table.h"

namespace shadowvm::exec {

// What the rows of a build side follow from: columns of files, and what is done with them. Holding
// it keeps the table's contents alive, so that the addresses of columns name their values.
struct BuildKey {
  plan::ScanSource source;
  std::shared_ptr<storage::ParquetTable> table;
  std::vector<const storage::TableColumn*> columns;  // that are read
  // Instead of both, of a table in memory: what was added once does not change.
  std::shared_ptr<columns::TableSource> memory;
  std::vector<int> ordinals;
  columns::Schema input;  // of these columns
  plan::Settings settings;
  std::vector<int> shape;  // kinds of steps, how many expressions each, columns kept
  std::vector<plan::ExpressionPtr> expressions;  // of all steps and the join's keys, in order
  columns::Schema output;

  // Nothing for a pipeline that is not the build side of a join, or whose rows depend on more than
  // files: other pipelines, or tables in memory unless these count as well.
  static std::optional<BuildKey> Of(const plan::Pipeline& pipeline, const plan::Settings& settings,
                                    const std::shared_ptr<columns::TableSource>& table,
                                    bool in_memory = false);
  // Whose columns they are.
  std::shared_ptr<columns::TableSource> source_table() const {
    return memory != nullptr ? memory : table;
  }
  // Of the same files as they are now.
  bool HasSameContents(const BuildKey& other) const;
  bool operator==(const BuildKey& other) const;
};

// Build sides of joins, kept for later queries: the dimension tables of a star are filtered once
// for all who ask the same of them. Least recently used ones go first, all go when their files have
// changed, and any goes when a query runs short of memory. Thread-safe.
class BuildCache : public memory::Reclaimer {
 public:
  // With 'in_memory' it keeps those of tables in memory too.
  BuildCache(memory::MemoryBudget* budget, int64_t limit, bool in_memory = false);
  ~BuildCache() override;

  // Whether there is room for any.
  bool keeps() const { return limit_ > 0; }
  bool in_memory() const { return in_memory_.load(); }
  // From now on; what is kept so far goes.
  void SetInMemory(bool in_memory);
  std::optional<PipelineOutput> Find(const BuildKey& key);
  // Unless it is too large, or holds strings that lie in what the pipeline read.
  void Keep(BuildKey key, const PipelineOutput& output);
  void Clear();
  void Reclaim(int64_t bytes) override;
  int64_t bytes() const;

 private:
  struct Entry {
    BuildKey key;
    PipelineOutput output;
    int64_t bytes;  // of its rows
  };
  using Entries = std::list<Entry>;  // most recently used first
  // With what was made of its rows.
  static int64_t BytesOf(const Entry& entry);
  int64_t BytesLocked() const;
  // Moves the least recently used out until 'bytes' remain, or 'least' entries; they end outside
  // the lock.
  void ShrinkLocked(int64_t bytes, size_t least, Entries* dropped);

  memory::MemoryBudget* const budget_;
  const int64_t limit_;
  std::atomic<bool> in_memory_;
  mutable std::mutex mutex_;
  Entries entries_;
};

}  // namespace shadowvm::exec
