// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/device/accelerator.h"
#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/object_source.h"

namespace shadowvm::vkernel {

struct ProgramCacheOptions {
  bool use_disk = true;
  std::string directory = {};  // empty: DefaultCacheDirectory; shared with KernelCache's entries
  int64_t max_disk_bytes = 256 << 20;
  HeaderSet headers = EmbeddedHeaderSet();
};

// Programs of one accelerator by their text: in memory, on disk, or compiled now, one compile at a
// time for a text. As KernelCache, but without a second, better code: there is one level. Programs
// are kept until the cache goes. Thread-safe.
class ProgramCache {
 public:
  using Loaded = std::shared_ptr<const device::Program>;

  // The accelerator outlives the cache and all its programs.
  ProgramCache(const ProgramCacheOptions& options, device::Accelerator* accelerator,
               std::unique_ptr<Compiler> compiler);

  base::Result<Loaded> Get(const std::string& name, const std::string& text);
  KernelCacheStats stats() const { return source_->stats(); }

 private:
  using Flight = std::shared_future<base::Result<Loaded>>;

  base::Result<Loaded> Make(const CompileRequest& request);

  device::Accelerator& accelerator_;
  std::unique_ptr<ObjectSource> source_;
  std::mutex mutex_;
  std::map<Digest, Flight> programs_;
};

}  // namespace shadowvm::vkernel
