// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/status.h"
#include "engine/vkernel/compile/process.h"
#include "engine/vkernel/compile/sha256.h"

namespace shadowvm::vkernel {

// $SHADOWVM_CACHE_DIR, else shadowvm/kernels in $XDG_CACHE_HOME or ~/.cache; empty if none is set.
std::string DefaultCacheDirectory();

// Compiled objects in a folder, one file a key. Since what it holds is run, the folder must be ours
// alone, and an entry counts only if its key and the hash of its bytes are right. Entries appear by
// rename, so several processes may share a folder: the worst that happens is that one does
// another's work again.
class DiskCache {
 public:
  // Makes the folder (0700). kWriteFailed if it cannot be made, or belongs to others, or others may
  // write to it.
  static base::Result<std::unique_ptr<DiskCache>> Open(const std::string& directory,
                                                       int64_t max_bytes);

  // Nothing on a miss. An entry that is damaged, or not ours, is removed and counts as a miss.
  base::Result<std::optional<std::string>> Read(const Digest& key);
  // Then removes the entries longest unused, until the bytes are within bounds.
  base::Status Write(const Digest& key, const std::string& bytes);
  // Removes every entry.
  void Clear();

  int64_t corrupt_dropped() const { return corrupt_dropped_; }

 private:
  DiskCache(std::string directory, FileDescriptor folder, int64_t max_bytes)
      : directory_(std::move(directory)), folder_(std::move(folder)), max_bytes_(max_bytes) {}

  void Trim();

  const std::string directory_;
  const FileDescriptor
      folder_;  // all access goes through it: the folder checked is the folder used
  const int64_t max_bytes_;
  std::atomic<int64_t> corrupt_dropped_{0};
  std::atomic<int64_t> next_temporary_{0};
};

struct DiskCacheOptions {
  bool use_disk = true;
  std::string directory = {};  // empty: DefaultCacheDirectory
  int64_t max_bytes = 256 << 20;
};

// The folder of the options, or null: when it is not wanted, and, with the reason in *warning, when
// it cannot be used.
std::unique_ptr<DiskCache> OpenDiskCache(const DiskCacheOptions& options, std::string* warning);

}  // namespace shadowvm::vkernel
