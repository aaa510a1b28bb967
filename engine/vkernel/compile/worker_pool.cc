// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker_pool.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;

// Compilers keep a little memory of each compile; a worker is replaced before that adds up.
constexpr int64_t kCompilesPerWorker = 500;

bool WorkerIsUsable(const Status& status) {
  return status.ok() || base::CodeOf(status) == ErrorCode::kCompileFailed;
}

}  // namespace

WorkerPool::WorkerPool(WorkerPoolOptions options) : options_(std::move(options)) {}

WorkerPool::~WorkerPool() {
  if (prewarming_.joinable()) prewarming_.join();
}

Result<CompiledObject> WorkerPool::Compile(const CompileRequest& request) {
  const auto deadline = std::chrono::steady_clock::now() + options_.timeout;
  SVM_ASSIGN_OR_RETURN(Worker worker, Take(deadline));
  Result<CompiledObject> result = CompileOn(worker.get(), request, deadline);
  const bool keep = WorkerIsUsable(result.status()) && worker->num_compiles() < kCompilesPerWorker;
  if (!keep) {
    std::lock_guard lock(mutex_);
    std::erase(pids_, worker->pid());
  }
  if (!keep) worker.reset();
  GiveBack(std::move(worker));
  return result;
}

Result<CompiledObject> WorkerPool::CompileOn(WorkerProcess* worker, const CompileRequest& request,
                                             WorkerProcess::TimePoint deadline) {
  std::shared_ptr<const std::string> library;
  {
    std::lock_guard lock(mutex_);
    library = library_;
  }
  if (library != nullptr) SVM_RETURN_NOT_OK(worker->UseLibrary(*library, deadline));
  return worker->Compile(request, deadline);
}

void WorkerPool::UseLibrary(std::string object) {
  std::lock_guard lock(mutex_);
  library_ = std::make_shared<const std::string>(std::move(object));
}

Result<WorkerPool::Worker> WorkerPool::Take(WorkerProcess::TimePoint deadline) {
  std::unique_lock lock(mutex_);
  const bool free = given_back_.wait_until(
      lock, deadline, [&] { return !idle_.empty() || num_workers_ < options_.workers; });
  if (!free) {
    return base::MakeError(ErrorCode::kCompilerTimeout, "all compile workers are busy");
  }
  while (!idle_.empty()) {
    Worker worker = std::move(idle_.back());
    idle_.pop_back();
    if (worker->alive()) return worker;
    // Somebody ended it while it was idle.
    std::erase(pids_, worker->pid());
    --num_workers_;
  }
  ++num_workers_;
  lock.unlock();
  return StartCounted(deadline);
}

Result<WorkerPool::Worker> WorkerPool::StartCounted(WorkerProcess::TimePoint deadline) {
  Result<Worker> worker = WorkerProcess::Start(options_.worker, options_.headers, deadline);
  if (!worker.ok()) {
    GiveBack(nullptr);
    return worker;
  }
  std::lock_guard lock(mutex_);
  pids_.push_back((*worker)->pid());
  return worker;
}

void WorkerPool::GiveBack(Worker worker) {
  {
    std::lock_guard lock(mutex_);
    if (worker) {
      idle_.push_back(std::move(worker));
    } else {
      --num_workers_;
    }
  }
  given_back_.notify_one();
}

void WorkerPool::Prewarm() {
  std::lock_guard lock(mutex_);
  if (prewarming_.joinable()) return;
  try {
    prewarming_ = std::thread([this] { StartAll(); });
  } catch (const std::system_error&) {
    // No thread to be had: the workers start when they are needed.
  }
}

void WorkerPool::StartAll() {
  const auto deadline = std::chrono::steady_clock::now() + options_.timeout;
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      if (num_workers_ >= options_.workers) return;
      ++num_workers_;
    }
    Result<Worker> worker = StartCounted(deadline);
    if (!worker.ok()) return;
    GiveBack(std::move(*worker));
  }
}

std::vector<pid_t> WorkerPool::worker_pids() const {
  std::lock_guard lock(mutex_);
  return pids_;
}

}  // namespace shadowvm::vkernel
