// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/program_cache.h"

#include "engine/base/fault.h"
#include "engine/vkernel/compile/disk_cache.h"

namespace shadowvm::vkernel {

using base::Result;

ProgramCache::ProgramCache(const ProgramCacheOptions& options, device::Accelerator* accelerator,
                           std::unique_ptr<Compiler> compiler)
    : accelerator_(*accelerator) {
  std::string warning;
  std::unique_ptr<DiskCache> disk =
      OpenDiskCache({options.use_disk, options.directory, options.max_disk_bytes}, &warning);
  std::vector<std::unique_ptr<Compiler>> compilers;
  compilers.push_back(std::move(compiler));
  source_ = std::make_unique<ObjectSource>(std::move(compilers), std::move(disk),
                                           options.headers.hash, std::move(warning));
}

Result<ProgramCache::Loaded> ProgramCache::Get(const std::string& name, const std::string& text) {
  const CompileRequest request{name, text, OptLevel::kFull};
  const Digest key = source_->KeyOf(request);
  std::promise<Result<Loaded>> promise;
  {
    std::unique_lock lock(mutex_);
    const auto found = programs_.find(key);
    if (found != programs_.end()) {
      const Flight flight = found->second;
      lock.unlock();
      return flight.get();
    }
    programs_.emplace(key, promise.get_future().share());
  }
  Result<Loaded> made = Make(request);
  promise.set_value(made);
  if (!made.ok()) {
    // The next one may have better luck: what failed may have been the memory of the moment.
    std::lock_guard lock(mutex_);
    programs_.erase(key);
  }
  return made;
}

Result<ProgramCache::Loaded> ProgramCache::Make(const CompileRequest& request) {
  SVM_FAULT_POINT("compile.program");
  SVM_ASSIGN_OR_RETURN(const CompiledObject object, source_->Get(request));
  SVM_ASSIGN_OR_RETURN(std::unique_ptr<device::Program> program,
                       accelerator_.Load(request.name, object.bytes));
  return Loaded(std::move(program));
}

}  // namespace shadowvm::vkernel
