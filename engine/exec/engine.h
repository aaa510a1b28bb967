// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/table.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/device/cpu_device.h"
#include "engine/exec/build_cache.h"
#include "engine/exec/gpu/gpu_keeper.h"
#include "engine/exec/plan_cache.h"
#include "engine/exec/query_context.h"
#include "engine/exec/query_plan.h"
#include "engine/memory/budget.h"
#include "engine/schedule/cancel_token.h"
#include "engine/schedule/history_file.h"
#include "engine/storage/segment_cache.h"
#include "engine/storage/table_registry.h"
#include "engine/vkernel/compile/kernel_cache.h"
#include "shadowvm/v1/command.pb.h"

namespace shadowvm::exec {

struct EngineOptions {
  int threads = 0;           // 0: one per core
  int64_t memory_bytes = 0;  // of tables and states together; 0: half of the machine's
  bool keep_tables = true;   // false: nothing stays in memory between queries
  bool keep_builds = true;   // likewise: no build side does
  // Build sides of tables that were added stay for later queries too, as those of files do.
  bool keep_added_builds = false;
  vkernel::KernelCacheOptions kernels;
  // With a kind, pipelines may run on that GPU (RunOptions::mode).
  GpuOptions gpu;
  // What mode auto believes of kernels that have not run yet.
  schedule::MachineModel machine;
};

// Runs commands in this process. Holds what queries share: workers, resident tables, kernels, one
// budget. Queries may run at the same time. Thread-safe.
class Engine {
 public:
  static base::Result<std::unique_ptr<Engine>> Make(EngineOptions options = {});
  ~Engine();

  // Answers a command; a command that writes a file answers with an empty table.
  base::Result<std::shared_ptr<arrow::Table>> Run(const v1::Command& command,
                                                  RunOptions options = {});

  // The same in two steps: a plan made here runs later, by one caller at a time, on its files as
  // they are then. 'spans' may be null.
  base::Result<std::unique_ptr<QueryPlan>> Plan(const v1::Command& command, base::Spans* spans);
  base::Result<std::shared_ptr<arrow::Table>> Run(QueryPlan* plan, RunOptions options);

  // The same for a serialized command, or a plan that is used again (PlanCache).
  base::Result<std::shared_ptr<QueryPlan>> Plan(const std::string& command, base::Spans* spans) {
    return plans_->Take(command, spans);
  }

  // Makes a table known by name, in place of one that had it.
  base::Status AddTable(const std::string& name, std::shared_ptr<columns::TableSource> table);
  base::Status AddTable(const std::string& name, const arrow::Table& table);

  // The table a scan names: registered, or opened from its files.
  base::Result<std::shared_ptr<columns::TableSource>> Open(const plan::ScanSource& source);
  // As EngineOptions::keep_added_builds says at first; those kept so far go.
  void KeepAddedBuilds(bool keep);
  // Whether a table that was opened from a source is still what it would open. False where that is
  // not cheaper to know than to open it.
  bool IsUnchanged(const plan::ScanSource& source, const columns::TableSource& table);
  // Drops all that stays in memory of files: segments, and build sides of joins.
  void DropTables();
  int64_t segment_bytes() const { return segments_->counters().bytes; }
  int64_t build_bytes() const { return builds_->bytes(); }

  memory::MemoryBudget& budget() { return budget_; }
  vkernel::KernelCache& kernels() { return *kernels_; }
  device::Device& device() { return *device_; }
  GpuKeeper& gpu_keeper() { return *gpu_; }
  // Null where there is none now; waits for one that is being opened.
  std::shared_ptr<Gpu> gpu() { return gpu_->Take(/*wait=*/true); }

 private:
  friend class Query;
  Engine(const EngineOptions& options, int64_t memory_bytes,
         std::unique_ptr<vkernel::KernelCache> kernels);
  // Runs a plan whose tables have just been opened.
  base::Result<std::shared_ptr<arrow::Table>> RunOpened(QueryPlan* plan, const RunOptions& options);

  memory::MemoryBudget budget_;
  std::unique_ptr<device::CpuDevice> device_;
  std::unique_ptr<storage::SegmentCache> segments_;
  std::unique_ptr<storage::TableRegistry> files_;
  std::unique_ptr<BuildCache> builds_;
  std::unique_ptr<vkernel::KernelCache> kernels_;
  std::unique_ptr<GpuKeeper> gpu_;
  const schedule::MachineModel machine_;
  schedule::KernelHistory history_;
  std::unique_ptr<schedule::HistoryFile> history_file_;  // null: it is not kept
  std::atomic<int64_t> drops_{0};                        // of tables, ever
  std::shared_ptr<PlanCache> plans_ = std::make_shared<PlanCache>(this);
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<columns::TableSource>> tables_;
};

}  // namespace shadowvm::exec
