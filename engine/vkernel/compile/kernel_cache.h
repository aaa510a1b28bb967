// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/vkernel/compile/clang_compiler.h"
#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/kernel_slot.h"
#include "engine/vkernel/compile/object_source.h"

namespace shadowvm::vkernel {

enum class CompilerChoice { kAuto, kClang, kSubprocess };  // kAuto: the workers, else a subprocess

struct KernelCacheOptions {
  bool use_disk = true;
  std::string directory = {};  // empty: DefaultCacheDirectory
  int64_t max_disk_bytes = 256 << 20;
  int64_t max_memory_bytes = 64 << 20;  // of objects; both bounds spare kernels in use
  int64_t max_kernels = 1024;
  bool background_full = true;
  CompilerChoice compiler = CompilerChoice::kAuto;
  bool sanitize = !HostSanitizers().empty();  // then kernels come from a subprocess
  HeaderSet headers = EmbeddedHeaderSet();
  int workers = 2;
  std::chrono::milliseconds timeout{10'000};
  std::string worker_path = {};         // empty: FindCompileWorker
  std::string subprocess_program = {};  // empty: the machine's C++ compiler
};

struct KernelText {
  std::string name;
  std::string text;
};

// Kernels by their text: in memory, on disk, or compiled now; one compile at a time for a text, and
// everybody who waits for it gets its kernel, or its error with the compiler's log. Thread-safe.
class KernelCache {
 public:
  using Slot = std::shared_ptr<KernelSlot>;

  // kNoCompiler if no compiler of the choice is there. A folder that cannot be used is no error:
  // see stats().
  static base::Result<std::unique_ptr<KernelCache>> Create(const KernelCacheOptions& options = {});
  // With compilers of the caller's own, the preferred one first; the choices in the options are
  // ignored.
  KernelCache(const KernelCacheOptions& options, std::vector<std::unique_ptr<Compiler>> compilers);
  // Drops what the background has not begun, and waits for what it has.
  ~KernelCache();

  base::Result<Slot> Get(const std::string& name, const std::string& text);
  // In the order of the texts; those that are missing are compiled side by side.
  base::Result<std::vector<Slot>> GetAll(std::span<const KernelText> texts);

  // Starts the compile workers and makes the verb library (or finds it on disk), in the background.
  // Kernels asked for before it is there compile their own verbs, which takes several times as
  // long.
  void Prewarm();
  // Waits until Prewarm has done its work.
  void AwaitWarm();
  // Waits until every full compile begun or queued so far is done.
  void AwaitBackground();
  KernelCacheStats stats() const;
  // Forgets every kernel, in memory and on disk; those that queries hold live on. What has been
  // queued for better code is dropped too.
  void Clear();

 private:
  struct Entry {
    Slot slot;
    std::list<const std::string*>::iterator age;  // in ages_
  };
  using Flight = std::shared_future<base::Result<Slot>>;

  CompileRequest Request(const std::string& name, const std::string& text, OptLevel level) const;
  Slot FindLocked(const std::string& text);
  base::Result<Slot> Make(const std::string& name, const std::string& text);
  void StoreLocked(const std::string& text, Slot slot);
  bool IsTooLargeLocked() const;
  void MakeLibrary();
  void QueueFull(const Slot& slot, const std::string& text);
  void RunBackground();
  void CompileFull(const Slot& slot, const std::string& text);

  const KernelCacheOptions options_;
  ClangCompiler* clang_ = nullptr;  // one of the source's compilers, if it has it
  std::unique_ptr<ObjectSource> source_;

  mutable std::mutex mutex_;
  // By text: to look one up costs no more than to read it.
  std::unordered_map<std::string, Entry> entries_;
  std::list<const std::string*> ages_;  // the longest unused first; keys of entries_
  std::unordered_map<std::string, Flight> flights_;
  int64_t memory_hits_ = 0;

  std::mutex background_mutex_;
  std::condition_variable background_changed_;
  std::deque<std::pair<std::weak_ptr<KernelSlot>, std::string>> background_queue_;
  bool background_busy_ = false;
  bool stopping_ = false;
  std::thread background_;
  std::thread prewarming_;
};

}  // namespace shadowvm::vkernel
