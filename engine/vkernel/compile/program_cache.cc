// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/program_cache.h"

#include <system_error>
#include <utility>

#include "engine/base/fault.h"
#include "engine/vkernel/compile/disk_cache.h"

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;

bool IsReady(const auto& flight) {
  return flight.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace

ProgramCache::ProgramCache(const ProgramCacheOptions& options, device::Accelerator* accelerator,
                           std::unique_ptr<Compiler> compiler)
    : options_(options), accelerator_(*accelerator) {
  std::string warning;
  std::unique_ptr<DiskCache> disk =
      OpenDiskCache({options.use_disk, options.directory, options.max_disk_bytes}, &warning);
  std::vector<std::unique_ptr<Compiler>> compilers;
  compilers.push_back(std::move(compiler));
  source_ = std::make_unique<ObjectSource>(std::move(compilers), std::move(disk),
                                           options.headers.hash, std::move(warning));
}

ProgramCache::~ProgramCache() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  queued_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (const Task& task : queue_) {
    task.promise->set_value(base::MakeError(ErrorCode::kCancelled, "the GPU is given up"));
  }
}

Result<ProgramCache::Loaded> ProgramCache::Get(const std::string& name, const std::string& text) {
  std::optional<Task> task;
  const auto flight = Look(name, text, &task);
  if (task) Run(*task);
  return flight.get();
}

Result<ProgramCache::Loaded> ProgramCache::Find(const std::string& name, const std::string& text) {
  std::optional<Task> task;
  const auto flight = Look(name, text, &task);
  if (task) QueueForBackground(std::move(*task));
  if (!IsReady(flight)) return Loaded();
  return flight.get();
}

std::shared_future<ProgramCache::Outcome> ProgramCache::Look(const std::string& name,
                                                             const std::string& text,
                                                             std::optional<Task>* task) {
  std::lock_guard lock(mutex_);
  DropFailedLocked(text);
  const auto found = programs_.find(text);
  if (found != programs_.end()) {
    found->second.used = ++questions_;
    ++memory_hits_;
    return found->second.flight;
  }
  EvictLocked();
  *task = Task{{name, text, OptLevel::kFast}, std::make_shared<std::promise<Outcome>>()};
  Entry entry{name, (*task)->promise->get_future().share(), ++questions_};
  return programs_.emplace(text, std::move(entry)).first->second.flight;
}

// The next one may have better luck, after a while.
void ProgramCache::DropFailedLocked(const std::string& text) {
  const auto bad = bad_.find(text);
  if (bad == bad_.end() || Clock::now() < bad->second) return;
  programs_.erase(text);
  bad_.erase(bad);
}

void ProgramCache::EvictLocked() {
  while (static_cast<int64_t>(programs_.size()) >= options_.max_programs) {
    auto oldest = programs_.end();
    for (auto entry = programs_.begin(); entry != programs_.end(); ++entry) {
      const auto& flight = entry->second.flight;
      const bool in_use = !IsReady(flight) || (flight.get().ok() && flight.get()->use_count() > 1);
      if (in_use) continue;
      if (oldest == programs_.end() || entry->second.used < oldest->second.used) oldest = entry;
    }
    if (oldest == programs_.end()) return;
    bad_.erase(oldest->first);
    programs_.erase(oldest);
  }
}

void ProgramCache::Run(const Task& task) {
  Outcome made = Make(task.request);
  if (!made.ok()) NoteFailure(task.request, made.status());
  task.promise->set_value(std::move(made));
}

void ProgramCache::NoteFailure(const CompileRequest& request, const base::Status& why) {
  const ErrorCode code = base::CodeOf(why);
  std::unique_lock lock(mutex_);
  // What failed for want of memory may work at once; a wrong text stays wrong.
  if (code == ErrorCode::kOutOfMemory) {
    bad_[request.text] = Clock::now();
    return;
  }
  if (code != ErrorCode::kCompileFailed) bad_[request.text] = Clock::now() + options_.retry_after;
  const bool is_new = warned_.insert(request.name).second;
  lock.unlock();
  const std::string& words = why.message();
  if (is_new)
    options_.warn("a kernel is not used, the CPU does its work: " +
                  words.substr(0, words.find('\n')));
}

ProgramCache::Outcome ProgramCache::Make(const CompileRequest& request) {
  SVM_FAULT_POINT("compile.program");
  SVM_ASSIGN_OR_RETURN(const CompiledObject object, source_->Get(request));
  const auto start = Clock::now();
  SVM_ASSIGN_OR_RETURN(std::unique_ptr<device::Program> program,
                       accelerator_.Load(request.name, object.bytes));
  const std::chrono::duration<double, std::milli> time = Clock::now() - start;
  std::lock_guard lock(mutex_);
  load_ms_ += time.count();
  return Loaded(std::move(program));
}

void ProgramCache::QueueForBackground(Task task) {
  std::unique_lock lock(mutex_);
  queue_.push_back(std::move(task));
  const bool may_start = static_cast<int>(threads_.size()) < options_.threads;
  if (static_cast<int>(queue_.size()) > idle_ && may_start) {
    try {
      threads_.emplace_back([this] { RunBackground(); });
    } catch (const std::system_error&) {
      if (!threads_.empty()) return;
      // No thread to be had at all: whoever asked waits.
      const Task own = std::move(queue_.back());
      queue_.pop_back();
      lock.unlock();
      Run(own);
      return;
    }
  }
  queued_.notify_one();
}

void ProgramCache::RunBackground() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    queued_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (stopping_) return;
    const Task task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    Run(task);
    lock.lock();
  }
}

KernelCacheStats ProgramCache::stats() const {
  KernelCacheStats stats = source_->stats();
  std::lock_guard lock(mutex_);
  stats.memory_hits = memory_hits_;
  stats.load_ms = load_ms_;
  stats.resident = static_cast<int64_t>(programs_.size());
  return stats;
}

void ProgramCache::Clear() {
  {
    std::lock_guard lock(mutex_);
    std::erase_if(programs_, [](const auto& entry) { return IsReady(entry.second.flight); });
    bad_.clear();
  }
  source_->ClearDisk();
}

}  // namespace shadowvm::vkernel
