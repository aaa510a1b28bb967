// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/engine.h"

#include <thread>
#include <utility>

#include "engine/columns/arrow_import.h"
#include "engine/exec/default_memory.h"
#include "engine/exec/query.h"
#include "engine/vkernel/compile/disk_cache.h"

namespace shadowvm::exec {
namespace {

// States need room beside tables, so tables take no more than this share.
constexpr double kTableShare = 0.8;
// Of which filtered dimension tables take little.
constexpr double kBuildShare = 0.1;

// Beside the kernels it tells of.
std::string HistoryPath(const vkernel::KernelCacheOptions& kernels) {
  if (!kernels.use_disk) return "";
  const std::string folder =
      kernels.directory.empty() ? vkernel::DefaultCacheDirectory() : kernels.directory;
  return folder.empty() ? "" : folder + "/kernel_speeds";
}

}  // namespace

base::Result<std::unique_ptr<Engine>> Engine::Make(EngineOptions options) {
  if (options.threads <= 0) options.threads = static_cast<int>(std::thread::hardware_concurrency());
  const int64_t memory_bytes =
      options.memory_bytes > 0 ? options.memory_bytes : DefaultMemoryBytes();
  SVM_ASSIGN_OR_RETURN(auto kernels, vkernel::KernelCache::Create(options.kernels));
  kernels->Prewarm();
  std::unique_ptr<Engine> engine(new Engine(options, memory_bytes, std::move(kernels)));
  engine->gpu_ = std::make_unique<GpuKeeper>(options.gpu, &engine->budget_);
  if (options.gpu.kind == GpuKind::kNone) return engine;
  if (options.gpu.required) SVM_RETURN_NOT_OK(engine->gpu_->Require().status());
  const std::string file = HistoryPath(options.kernels);
  if (!file.empty()) {
    engine->history_file_ = std::make_unique<schedule::HistoryFile>(&engine->history_, file);
  }
  return engine;
}

Engine::Engine(const EngineOptions& options, int64_t memory_bytes,
               std::unique_ptr<vkernel::KernelCache> kernels)
    : budget_(memory_bytes),
      device_(std::make_unique<device::CpuDevice>(options.threads)),
      kernels_(std::move(kernels)),
      machine_(options.machine) {
  const double share = options.keep_tables ? kTableShare : 0;
  segments_ =
      std::make_unique<storage::SegmentCache>(&budget_, static_cast<int64_t>(memory_bytes * share));
  files_ =
      std::make_unique<storage::TableRegistry>(storage::StorageContext{&budget_, segments_.get()});
  const double build_share = options.keep_tables && options.keep_builds ? kBuildShare : 0;
  builds_ = std::make_unique<BuildCache>(&budget_, static_cast<int64_t>(memory_bytes * build_share),
                                         options.keep_added_builds);
}

Engine::~Engine() = default;

base::Result<std::shared_ptr<arrow::Table>> Engine::Run(const v1::Command& command,
                                                        RunOptions options) {
  QueryStats own_stats;
  if (options.stats == nullptr) options.stats = &own_stats;
  SVM_ASSIGN_OR_RETURN(const auto plan, Plan(command, &options.stats->spans));
  return RunOpened(plan.get(), options);
}

base::Result<std::unique_ptr<QueryPlan>> Engine::Plan(const v1::Command& command,
                                                      base::Spans* spans) {
  return QueryPlan::Make(this, command, spans);
}

base::Result<std::shared_ptr<arrow::Table>> Engine::Run(QueryPlan* plan, RunOptions options) {
  if (!options.just_planned) SVM_RETURN_NOT_OK(plan->Reopen());
  QueryStats own_stats;
  if (options.stats == nullptr) options.stats = &own_stats;
  return RunOpened(plan, options);
}

base::Result<std::shared_ptr<arrow::Table>> Engine::RunOpened(QueryPlan* plan,
                                                              const RunOptions& options) {
  constexpr int kMaxRestarts = 8;
  std::unique_ptr<Query> query = plan->TakeQuery();
  if (query != nullptr && !query->BeginAgain(options)) {
    // Strings may be laid out in another way by now than its tables know.
    query = nullptr;
    SVM_RETURN_NOT_OK(plan->Reopen());
  }
  for (int restarts = 0;; ++restarts) {
    const int64_t drops = drops_;
    if (query == nullptr) query = std::make_unique<Query>(this, plan, options);
    auto answer = query->Run();
    // Tables that were dropped meanwhile are not to be held.
    if (answer.ok() && drops == drops_ && query->Rest()) plan->KeepQuery(std::move(query));
    query = nullptr;
    // A string column outgrew its dictionary while it was read: the table knows its new layout now.
    const bool changed = base::CodeOf(answer.status()) == base::ErrorCode::kLayoutChanged;
    if (answer.ok() || !changed || restarts == kMaxRestarts) return answer;
    SVM_RETURN_NOT_OK(plan->Reopen());
  }
}

base::Status Engine::AddTable(const std::string& name,
                              std::shared_ptr<columns::TableSource> table) {
  plans_->ForgetRuns();  // one of them may hold the table that has the name
  std::shared_ptr<columns::TableSource> replaced;  // freed after the lock
  std::lock_guard lock(mutex_);
  replaced = std::exchange(tables_[name], std::move(table));
  return base::Status::OK();
}

base::Status Engine::AddTable(const std::string& name, const arrow::Table& table) {
  SVM_ASSIGN_OR_RETURN(auto imported, columns::FromArrow(name, table, &budget_));
  return AddTable(name, std::move(imported));
}

void Engine::KeepAddedBuilds(bool keep) {
  plans_->ForgetRuns();
  builds_->SetInMemory(keep);
}

void Engine::DropTables() {
  ++drops_;
  plans_->ForgetRuns();
  builds_->Clear();
  segments_->Clear();
  files_->Clear();
}

base::Result<std::shared_ptr<columns::TableSource>> Engine::Open(const plan::ScanSource& source) {
  if (!source.table.empty()) {
    std::lock_guard lock(mutex_);
    const auto found = tables_.find(source.table);
    if (found == tables_.end()) {
      return base::MakeError(base::ErrorCode::kFileMissing,
                             "no table '" + source.table + "' was added");
    }
    return found->second;
  }
  SVM_ASSIGN_OR_RETURN(
      std::shared_ptr<columns::TableSource> table,
      source.list != nullptr ? files_->Open(*source.list) : files_->Open(source.paths));
  return table;
}

bool Engine::IsUnchanged(const plan::ScanSource& source, const columns::TableSource& table) {
  if (!source.table.empty()) {
    std::lock_guard lock(mutex_);
    const auto found = tables_.find(source.table);
    return found != tables_.end() && found->second.get() == &table;
  }
  return source.list == nullptr && storage::IsUnchanged(source.paths, table);
}

}  // namespace shadowvm::exec
