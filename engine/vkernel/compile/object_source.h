// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/disk_cache.h"
#include "engine/vkernel/compile/sha256.h"

namespace shadowvm::vkernel {

// What a kernel cache has done since it was made.
struct KernelCacheStats {
  int64_t resident = 0;  // kernels in memory now
  int64_t memory_hits = 0;
  int64_t disk_hits = 0;
  int64_t compiles_fast = 0;
  int64_t compiles_full = 0;
  int64_t fallbacks = 0;        // compiles that a later compiler did for an earlier one
  int64_t corrupt_dropped = 0;  // damaged or foreign entries removed
  int64_t disk_write_failures =
      0;  // the folder is full or read-only: kernels are compiled again next time
  double compile_ms = 0;
  double compile_fast_ms = 0;       // of it, of compiles_fast
  double compile_fast_most_ms = 0;  // of a single one
  double disk_ms = 0;               // reading those that were found on disk
  double load_ms = 0;  // making code that can be called of all of them; of a GPU's programs alone
  std::string disk_warning;  // why the disk is not used, or why the first write failed; empty if
                             // all is well
};

// Where compiled objects come from: the disk, else the first compiler that works. Thread-safe;
// knows nothing of who else asks for the same object.
class ObjectSource {
 public:
  // At least one compiler, the preferred one first. `disk` may be null, then `disk_warning` may say
  // why.
  ObjectSource(std::vector<std::unique_ptr<Compiler>> compilers, std::unique_ptr<DiskCache> disk,
               std::string_view headers_hash, std::string disk_warning);

  // From the disk, or compiled.
  base::Result<CompiledObject> Get(const CompileRequest& request);
  // From the disk, as the preferred compiler made it; nothing if it is not there.
  std::optional<CompiledObject> FromDisk(const CompileRequest& request);

  void ClearDisk();
  // Without the counters of the memory.
  KernelCacheStats stats() const;

 private:
  // After this many failures in a row a compiler is not asked again: each one may have cost a
  // timeout.
  static constexpr int kMaxFailures = 3;

  struct Choice {
    std::unique_ptr<Compiler> compiler;
    std::string identity;
    std::atomic<int> failures{0};
  };

  Digest DiskKey(const Choice& choice, const CompileRequest& request) const;
  std::optional<CompiledObject> FromDisk(const Choice& choice, const CompileRequest& request);
  base::Result<CompiledObject> Compile(Choice* choice, const CompileRequest& request);
  void ToDisk(const Choice& choice, const CompileRequest& request, const CompiledObject& object);

  std::vector<std::unique_ptr<Choice>> choices_;
  const std::unique_ptr<DiskCache> disk_;
  const std::string headers_hash_;
  mutable std::mutex mutex_;
  KernelCacheStats stats_;
};

}  // namespace shadowvm::vkernel
