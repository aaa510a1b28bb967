// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/kernel_cache.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <system_error>

#include "engine/vkernel/compile/subprocess_compiler.h"

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using Compilers = std::vector<std::unique_ptr<Compiler>>;

// The text that becomes the verb library, and the header that says what is in it.
constexpr std::string_view kVerbLibrary = "engine/kernels/cpu/verb_library.h";
constexpr char kVerbLibraryText[] =
    "#define SVM_DEFINE_VERB_LIBRARY\n"
    "#include \"engine/kernels/cpu/verbs.h\"\n"
    "#include \"engine/kernels/cpu/verb_library.h\"\n";

// The compilers of a choice that this machine has, the preferred one first.
Result<Compilers> FindCompilers(const KernelCacheOptions& options) {
  Compilers compilers;
  std::string missing;
  auto take = [&](auto compiler) {
    if (compiler.ok()) {
      compilers.push_back(std::move(*compiler));
    } else {
      missing += (missing.empty() ? "" : "; ") + compiler.status().message();
    }
  };
  if (options.compiler != CompilerChoice::kSubprocess && !options.sanitize) {
    take(ClangCompiler::Create(
        {options.headers, options.workers, options.timeout, options.worker_path}));
  }
  if (options.compiler != CompilerChoice::kClang || options.sanitize) {
    take(SubprocessCompiler::Create(
        {options.headers, options.subprocess_program, 3 * options.timeout}));
  }
  if (compilers.empty()) return base::MakeError(ErrorCode::kNoCompiler, missing);
  return compilers;
}

// False where the machine has no thread to give.
bool StartThread(std::thread* thread, std::function<void()> work) {
  try {
    *thread = std::thread(std::move(work));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// Calls work(0) to work(count - 1) on at most `num_threads` threads, this one included.
void SideBySide(size_t count, int num_threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  auto take = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> threads(std::min<size_t>(count, std::max(num_threads, 1)));
  for (size_t i = 1; i < threads.size(); ++i) StartThread(&threads[i], take);
  take();
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace

Result<std::unique_ptr<KernelCache>> KernelCache::Create(const KernelCacheOptions& options) {
  SVM_ASSIGN_OR_RETURN(Compilers compilers, FindCompilers(options));
  return std::make_unique<KernelCache>(options, std::move(compilers));
}

KernelCache::KernelCache(const KernelCacheOptions& options, Compilers compilers)
    : options_(options) {
  for (const std::unique_ptr<Compiler>& compiler : compilers) {
    if (clang_ == nullptr) clang_ = dynamic_cast<ClangCompiler*>(compiler.get());
  }
  std::string warning;
  std::unique_ptr<DiskCache> disk =
      OpenDiskCache({options.use_disk, options.directory, options.max_disk_bytes}, &warning);
  source_ = std::make_unique<ObjectSource>(std::move(compilers), std::move(disk),
                                           options.headers.hash, std::move(warning));
}

KernelCache::~KernelCache() {
  {
    std::lock_guard lock(background_mutex_);
    stopping_ = true;
    background_queue_.clear();
  }
  background_changed_.notify_all();
  if (background_.joinable()) background_.join();
  AwaitWarm();
}

CompileRequest KernelCache::Request(const std::string& name, const std::string& text,
                                    OptLevel level) const {
  return {name, text, level, options_.sanitize};
}

Result<KernelCache::Slot> KernelCache::Get(const std::string& name, const std::string& text) {
  std::promise<Result<Slot>> promise;
  {
    std::unique_lock lock(mutex_);
    if (Slot found = FindLocked(text)) {
      lock.unlock();
      QueueFull(found, text);
      return found;
    }
    const auto flight = flights_.find(text);
    if (flight != flights_.end()) {
      const Flight joined = flight->second;
      lock.unlock();
      return joined.get();
    }
    flights_.emplace(text, promise.get_future().share());
  }
  Result<Slot> made = Make(name, text);
  {
    std::lock_guard lock(mutex_);
    if (made.ok()) StoreLocked(text, *made);
    flights_.erase(text);
  }
  promise.set_value(made);
  return made;
}

KernelCache::Slot KernelCache::FindLocked(const std::string& text) {
  const auto found = entries_.find(text);
  if (found == entries_.end()) return nullptr;
  ++memory_hits_;
  ages_.splice(ages_.end(), ages_, found->second.age);
  return found->second.slot;
}

Result<KernelCache::Slot> KernelCache::Make(const std::string& name, const std::string& text) {
  OptLevel level = OptLevel::kFull;
  CompiledObject object;
  if (auto full = source_->FromDisk(Request(name, text, level))) {
    object = std::move(*full);
  } else {
    level = OptLevel::kFast;
    SVM_ASSIGN_OR_RETURN(object, source_->Get(Request(name, text, level)));
  }
  SVM_ASSIGN_OR_RETURN(auto kernel, Kernel::Load(name, object.bytes));
  auto slot = std::make_shared<KernelSlot>(name, std::move(object.log));
  slot->Install(std::move(kernel), level, object.bytes.size());
  return slot;
}

void KernelCache::StoreLocked(const std::string& text, Slot slot) {
  const auto [stored, is_new] = entries_.try_emplace(text);
  if (!is_new) ages_.erase(stored->second.age);
  ages_.push_back(&stored->first);
  stored->second = {std::move(slot), std::prev(ages_.end())};
  for (auto age = ages_.begin(); age != ages_.end() && IsTooLargeLocked();) {
    const auto entry = entries_.find(**age);
    if (entry->second.slot.use_count() > 1) {
      ++age;
    } else {
      age = ages_.erase(age);
      entries_.erase(entry);
    }
  }
}

bool KernelCache::IsTooLargeLocked() const {
  int64_t num_bytes = 0;
  for (const auto& [key, entry] : entries_) num_bytes += entry.slot->num_bytes();
  return num_bytes > options_.max_memory_bytes ||
         static_cast<int64_t>(entries_.size()) > options_.max_kernels;
}

Result<std::vector<KernelCache::Slot>> KernelCache::GetAll(std::span<const KernelText> texts) {
  std::vector<Result<Slot>> results(texts.size(), Result<Slot>(Slot()));
  std::vector<size_t> missing;
  for (size_t i = 0; i < texts.size(); ++i) {
    std::unique_lock lock(mutex_);
    Slot found = FindLocked(texts[i].text);
    lock.unlock();
    if (found == nullptr) {
      missing.push_back(i);
      continue;
    }
    QueueFull(found, texts[i].text);
    results[i] = std::move(found);
  }
  SideBySide(missing.size(), options_.workers, [&](size_t i) {
    results[missing[i]] = Get(texts[missing[i]].name, texts[missing[i]].text);
  });
  std::vector<Slot> slots;
  for (Result<Slot>& result : results) {
    SVM_ASSIGN_OR_RETURN(Slot slot, std::move(result));
    slots.push_back(std::move(slot));
  }
  return slots;
}

// A kernel that is asked for again is worth better code; one that is not would only take time from
// the queries that run meanwhile.
void KernelCache::QueueFull(const Slot& slot, const std::string& text) {
  if (!options_.background_full || !slot->ClaimFull()) return;
  {
    std::lock_guard lock(background_mutex_);
    if (stopping_) return;
    background_queue_.emplace_back(slot, text);
    if (!background_.joinable() && !StartThread(&background_, [this] { RunBackground(); })) {
      background_queue_.clear();  // the fast code serves
    }
  }
  background_changed_.notify_all();
}

void KernelCache::RunBackground() {
  std::unique_lock lock(background_mutex_);
  for (;;) {
    background_changed_.wait(lock, [&] { return stopping_ || !background_queue_.empty(); });
    if (stopping_) return;
    auto [waiting, text] = std::move(background_queue_.front());
    background_queue_.pop_front();
    background_busy_ = true;
    lock.unlock();
    if (const Slot slot = waiting.lock()) CompileFull(slot, text);
    lock.lock();
    background_busy_ = false;
    background_changed_.notify_all();
  }
}

// A failure leaves the slot with the code it has.
void KernelCache::CompileFull(const Slot& slot, const std::string& text) {
  auto object = source_->Get(Request(slot->name(), text, OptLevel::kFull));
  if (!object.ok()) return;
  auto kernel = Kernel::Load(slot->name(), object->bytes);
  if (kernel.ok()) slot->Install(std::move(*kernel), OptLevel::kFull, object->bytes.size());
}

void KernelCache::Prewarm() {
  if (clang_ == nullptr || prewarming_.joinable()) return;
  clang_->Prewarm();
  StartThread(&prewarming_, [this] { MakeLibrary(); });
}

void KernelCache::AwaitWarm() {
  if (prewarming_.joinable()) prewarming_.join();
}

// Without a library kernels compile their own verbs; that is slower and nothing else.
void KernelCache::MakeLibrary() {
  const bool listed = std::any_of(
      options_.headers.headers.begin(), options_.headers.headers.end(),
      [](const kernels::EmbeddedHeader& header) { return header.path == kVerbLibrary; });
  if (!listed) return;
  auto object = source_->Get(Request("verb library", kVerbLibraryText, OptLevel::kLibrary));
  if (object.ok()) clang_->UseLibrary(std::move(object->bytes));
}

void KernelCache::AwaitBackground() {
  std::unique_lock lock(background_mutex_);
  background_changed_.wait(lock, [&] { return background_queue_.empty() && !background_busy_; });
}

KernelCacheStats KernelCache::stats() const {
  KernelCacheStats stats = source_->stats();
  std::lock_guard lock(mutex_);
  stats.memory_hits = memory_hits_;
  stats.resident = static_cast<int64_t>(entries_.size());
  return stats;
}

void KernelCache::Clear() {
  {
    std::lock_guard lock(background_mutex_);
    background_queue_.clear();
  }
  AwaitBackground();  // what is under way would come back to the disk
  {
    std::lock_guard lock(mutex_);
    entries_.clear();
    ages_.clear();
  }
  source_->ClearDisk();
}

}  // namespace shadowvm::vkernel
