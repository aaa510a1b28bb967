// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/program_cache.h"

#include <system_error>
#include <utility>

#include "engine/base/elapsed.h"
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

bool IsThere(const auto& flight) { return IsReady(flight) && flight.get().ok(); }

// Somebody waits for it, or for its program.
bool IsInUse(const auto& flight) {
  if (!flight.valid()) return false;
  return !IsReady(flight) || (flight.get().ok() && flight.get()->use_count() > 1);
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
  for (const std::deque<Task>* queue : {&queue_, &better_queue_}) {
    for (const Task& task : *queue) {
      task.promise->set_value(base::MakeError(ErrorCode::kCancelled, "the GPU is given up"));
    }
  }
}

Result<ProgramCache::Loaded> ProgramCache::Get(const std::string& name, const std::string& text) {
  std::optional<Task> task, better;
  Flight flight;
  {
    std::lock_guard lock(mutex_);
    Entry& entry = LookLocked(text);
    flight = BeginLocked(name, text, &entry, &task);
    // A program that is asked for again is worth better code.
    if (++entry.gets > 1 && !entry.full.valid()) {
      better = Begin(name, text, OptLevel::kFull, &entry.full);
    }
  }
  if (better) Queue(std::move(*better), &better_queue_);
  if (task) Run(*task);
  return flight.get();
}

void ProgramCache::Prepare(const std::string& name, const std::string& text) {
  std::optional<Task> task;
  {
    std::lock_guard lock(mutex_);
    BeginLocked(name, text, &LookLocked(text), &task);
  }
  if (task) Queue(std::move(*task), &queue_);
}

Result<ProgramCache::Loaded> ProgramCache::Find(const std::string& name, const std::string& text) {
  std::optional<Task> task;
  Flight flight;
  {
    std::lock_guard lock(mutex_);
    Entry& entry = LookLocked(text);
    const OptLevel level = options_.quick_first ? OptLevel::kFull : OptLevel::kFast;
    if (!entry.full.valid()) task = Begin(name, text, level, &entry.full);
    flight = entry.full;
  }
  if (task) Queue(std::move(*task), &queue_);
  if (!IsReady(flight)) return Loaded();
  return flight.get();
}

ProgramCache::Entry& ProgramCache::LookLocked(const std::string& text) {
  DropFailedLocked(text);
  const auto found = programs_.find(text);
  if (found != programs_.end()) {
    ++memory_hits_;
  } else {
    EvictLocked();
  }
  Entry& entry = found != programs_.end() ? found->second : programs_[text];
  entry.used = ++questions_;
  return entry;
}

ProgramCache::Task ProgramCache::Begin(const std::string& name, const std::string& text,
                                       OptLevel level, Flight* flight) {
  Task task{{name, text, level}, std::make_shared<std::promise<Outcome>>()};
  *flight = task.promise->get_future().share();
  return task;
}

ProgramCache::Flight ProgramCache::BeginLocked(const std::string& name, const std::string& text,
                                               Entry* entry, std::optional<Task>* task) const {
  if (!options_.quick_first) {
    if (!entry->full.valid()) *task = Begin(name, text, OptLevel::kFast, &entry->full);
    return entry->full;
  }
  if (entry->full.valid() && (!entry->quick.valid() || IsThere(entry->full))) return entry->full;
  if (!entry->quick.valid()) *task = Begin(name, text, OptLevel::kFast, &entry->quick);
  return entry->quick;
}

// The next one may have better luck, after a while.
void ProgramCache::DropFailedLocked(const std::string& text) {
  const auto bad = bad_.find(text);
  if (bad == bad_.end() || Clock::now() < bad->second) return;
  const auto entry = programs_.find(text);
  if (entry == programs_.end()) {
    bad_.erase(bad);
    return;
  }
  // One of the two may serve all the same. The one that failed may not have told it yet.
  for (Flight* flight : {&entry->second.quick, &entry->second.full}) {
    if (!flight->valid() || !IsReady(*flight) || flight->get().ok()) continue;
    *flight = {};
    bad_.erase(text);
  }
  if (!entry->second.quick.valid() && !entry->second.full.valid()) programs_.erase(entry);
}

void ProgramCache::EvictLocked() {
  while (static_cast<int64_t>(programs_.size()) >= options_.max_programs) {
    auto oldest = programs_.end();
    for (auto entry = programs_.begin(); entry != programs_.end(); ++entry) {
      if (IsInUse(entry->second.quick) || IsInUse(entry->second.full)) continue;
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
  const auto entry = programs_.find(request.text);
  const bool serves =
      request.level == OptLevel::kFull && entry != programs_.end() && entry->second.quick.valid();
  lock.unlock();
  if (!is_new) return;
  const std::string& words = why.message();
  options_.warn((serves ? "a kernel stays with its quick code: "
                        : "a kernel is not used, the CPU does its work: ") +
                words.substr(0, words.find('\n')));
}

ProgramCache::Outcome ProgramCache::Make(const CompileRequest& request) {
  SVM_FAULT_POINT("compile.program");
  if (options_.quick_first && request.level == OptLevel::kFast) {
    if (auto full = source_->FromDisk({request.name, request.text, OptLevel::kFull})) {
      Outcome program = Load(request.name, *full);
      if (program.ok()) ShareQuick(request.text);
      // Where the larger one does not load the smaller one may.
      if (program.ok()) return program;
    }
  }
  SVM_ASSIGN_OR_RETURN(const CompiledObject object, source_->Get(request));
  return Load(request.name, object);
}

ProgramCache::Outcome ProgramCache::Load(const std::string& name, const CompiledObject& object) {
  const auto start = Clock::now();
  SVM_ASSIGN_OR_RETURN(std::unique_ptr<device::Program> program,
                       accelerator_.Load(name, object.bytes));
  std::lock_guard lock(mutex_);
  load_ms_ += base::MillisecondsSince(start);
  return Loaded(std::move(program));
}

void ProgramCache::ShareQuick(const std::string& text) {
  std::lock_guard lock(mutex_);
  const auto entry = programs_.find(text);
  if (entry == programs_.end() || entry->second.full.valid()) return;
  entry->second.full = entry->second.quick;
}

void ProgramCache::Queue(Task task, std::deque<Task>* queue) {
  std::unique_lock lock(mutex_);
  queue->push_back(std::move(task));
  const bool may_start = static_cast<int>(threads_.size()) < options_.threads;
  if (static_cast<int>(queue_.size() + better_queue_.size()) > idle_ && may_start) {
    try {
      threads_.emplace_back([this] { RunBackground(); });
    } catch (const std::system_error&) {
      if (!threads_.empty()) return;
      // No thread to be had at all: whoever asked waits.
      const Task own = std::move(queue->back());
      queue->pop_back();
      lock.unlock();
      Run(own);
      return;
    }
  }
  queued_.notify_one();
}

std::deque<ProgramCache::Task>* ProgramCache::NextLocked() {
  if (!queue_.empty()) return &queue_;
  return !better_queue_.empty() && !making_better_ ? &better_queue_ : nullptr;
}

void ProgramCache::RunBackground() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    queued_.wait(lock, [&] { return stopping_ || NextLocked() != nullptr; });
    --idle_;
    if (stopping_) return;
    std::deque<Task>* const queue = NextLocked();
    const Task task = std::move(queue->front());
    queue->pop_front();
    const bool is_better = queue == &better_queue_;
    making_better_ |= is_better;
    lock.unlock();
    Run(task);
    lock.lock();
    if (!is_better) continue;
    making_better_ = false;
    better_made_.notify_all();
  }
}

bool ProgramCache::HasFull(const std::string& text) const {
  if (!options_.quick_first) return true;
  std::lock_guard lock(mutex_);
  const auto entry = programs_.find(text);
  return entry != programs_.end() && entry->second.full.valid() && IsThere(entry->second.full);
}

void ProgramCache::AwaitFull() {
  std::unique_lock lock(mutex_);
  better_made_.wait(lock, [&] { return better_queue_.empty() && !making_better_; });
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
    std::erase_if(programs_, [](const auto& entry) {
      const auto& [quick, full, used, gets] = entry.second;
      return (!quick.valid() || IsReady(quick)) && (!full.valid() || IsReady(full));
    });
    bad_.clear();
  }
  source_->ClearDisk();
}

}  // namespace shadowvm::vkernel
