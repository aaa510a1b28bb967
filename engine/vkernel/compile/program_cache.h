// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/device/accelerator.h"
#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/object_source.h"

namespace shadowvm::vkernel {

struct ProgramCacheOptions {
  bool use_disk = true;
  std::string directory = {};  // empty: DefaultCacheDirectory; shared with KernelCache's entries
  int64_t max_disk_bytes = 256 << 20;
  int64_t max_programs = 1024;  // in memory, beside those in use
  int threads = 3;              // that make programs in the background; one of them full code
  // Whoever waits is served by quick code (OptLevel::kFast) until there is full code, which is
  // made once a program is asked for again. Else there is one level.
  bool quick_first = false;
  // How long a text whose program could not be made is not tried again. A text that does not
  // compile never is.
  std::chrono::milliseconds retry_after{60'000};
  HeaderSet headers = EmbeddedHeaderSet();
  // Told once about each text whose program could not be made, in a sentence; not of want of
  // memory.
  std::function<void(const std::string&)> warn = [](const std::string&) {};
};

// Programs of one accelerator by their text: in memory, on disk, or compiled, once for all who ask.
// Thread-safe.
class ProgramCache {
 public:
  using Loaded = std::shared_ptr<const device::Program>;

  // The accelerator outlives the cache and all its programs.
  ProgramCache(const ProgramCacheOptions& options, device::Accelerator* accelerator,
               std::unique_ptr<Compiler> compiler);
  // Drops what the background has not begun, and waits for what it has.
  ~ProgramCache();

  // Waits until the program is there, in quick code or better.
  base::Result<Loaded> Get(const std::string& name, const std::string& text);
  // Begins to make what Get would wait for, in the background.
  void Prepare(const std::string& name, const std::string& text);
  // The program in full code if it is there; else null, and it is made in the background.
  base::Result<Loaded> Find(const std::string& name, const std::string& text);

  // Whether Get would give full code now. Quick code says nothing of how fast a kernel is.
  bool HasFull(const std::string& text) const;

  // Waits until all full code that Get has found worth making so far is there.
  void AwaitFull();

  KernelCacheStats stats() const;
  // Forgets every program, in memory and on disk; those that queries hold live on.
  void Clear();

 private:
  using Outcome = base::Result<Loaded>;
  using Clock = std::chrono::steady_clock;
  using Flight = std::shared_future<Outcome>;  // not valid: nobody has begun it
  struct Entry {
    Flight quick, full;
    int64_t used = 0;  // when, counted in questions
    int64_t gets = 0;
  };
  struct Task {
    CompileRequest request;
    std::shared_ptr<std::promise<Outcome>> promise;
  };

  // The entry of a text, which may be new.
  Entry& LookLocked(const std::string& text);
  static Task Begin(const std::string& name, const std::string& text, OptLevel level,
                    Flight* flight);
  // What Get waits for, with a task for whoever is to make it, if nobody has begun it.
  Flight BeginLocked(const std::string& name, const std::string& text, Entry* entry,
                     std::optional<Task>* task) const;
  void DropFailedLocked(const std::string& text);
  void EvictLocked();
  void Run(const Task& task);
  void NoteFailure(const CompileRequest& request, const base::Status& why);
  Outcome Make(const CompileRequest& request);
  Outcome Load(const std::string& name, const CompiledObject& object);
  // What is on disk in full code needs no other.
  void ShareQuick(const std::string& text);
  void Queue(Task task, std::deque<Task>* queue);
  // A task to do now, and the queue it comes from; null: there is none.
  std::deque<Task>* NextLocked();
  void RunBackground();

  const ProgramCacheOptions options_;
  device::Accelerator& accelerator_;
  std::unique_ptr<ObjectSource> source_;

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Entry> programs_;         // by text
  std::unordered_map<std::string, Clock::time_point> bad_;  // texts that failed, until when
  std::unordered_set<std::string> warned_;                  // names of kernels, told of
  int64_t questions_ = 0;
  int64_t memory_hits_ = 0;
  double load_ms_ = 0;

  std::condition_variable queued_;
  std::deque<Task> queue_;
  std::deque<Task> better_queue_;  // full code of programs that serve already, one at a time
  bool making_better_ = false;
  std::condition_variable better_made_;
  std::vector<std::thread> threads_;
  int idle_ = 0;
  bool stopping_ = false;
};

}  // namespace shadowvm::vkernel
