// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/object_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/base/elapsed.h"

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;

Digest Key(std::string_view identity, std::string_view headers_hash, const CompileRequest& request,
           std::string_view level) {
  return Sha256()
      .Field(identity)
      .Field(headers_hash)
      .Field(level)
      .Field(request.sanitize ? HostSanitizers() : "")
      .Field(request.text)
      .Finish();
}

}  // namespace

ObjectSource::ObjectSource(std::vector<std::unique_ptr<Compiler>> compilers,
                           std::unique_ptr<DiskCache> disk, std::string_view headers_hash,
                           std::string disk_warning)
    : disk_(std::move(disk)), headers_hash_(headers_hash) {
  for (std::unique_ptr<Compiler>& compiler : compilers) {
    auto choice = std::make_unique<Choice>();
    choice->identity = compiler->identity();
    choice->compiler = std::move(compiler);
    choices_.push_back(std::move(choice));
  }
  stats_.disk_warning = std::move(disk_warning);
}

Digest ObjectSource::DiskKey(const Choice& choice, const CompileRequest& request) const {
  return Key(choice.identity, headers_hash_, request, NameOf(request.level));
}

Result<CompiledObject> ObjectSource::Get(const CompileRequest& request) {
  std::string failures;
  ErrorCode code = ErrorCode::kNoCompiler;
  for (const std::unique_ptr<Choice>& choice : choices_) {
    if (choice->failures >= kMaxFailures && choice != choices_.back()) continue;
    if (auto found = FromDisk(*choice, request)) return std::move(*found);
    Result<CompiledObject> compiled = Compile(choice.get(), request);
    if (compiled.ok()) {
      ToDisk(*choice, request, *compiled);
      std::lock_guard lock(mutex_);
      if (choice != choices_.front()) ++stats_.fallbacks;
      return compiled;
    }
    // A wrong text is wrong for every compiler.
    code = base::CodeOf(compiled.status());
    if (code == ErrorCode::kCompileFailed) return compiled.status();
    failures += (failures.empty() ? "" : "; then ") + compiled.status().message();
  }
  return CompileError(code, request.name, failures);
}

std::optional<CompiledObject> ObjectSource::FromDisk(const CompileRequest& request) {
  return FromDisk(*choices_.front(), request);
}

std::optional<CompiledObject> ObjectSource::FromDisk(const Choice& choice,
                                                     const CompileRequest& request) {
  if (!disk_) return {};
  const auto start = std::chrono::steady_clock::now();
  // A failed read is a miss: there is a compiler.
  auto found = disk_->Read(DiskKey(choice, request));
  if (!found.ok() || !*found) return {};
  std::lock_guard lock(mutex_);
  ++stats_.disk_hits;
  stats_.disk_ms += base::MillisecondsSince(start);
  return CompiledObject{std::move(**found), "", 0};
}

Result<CompiledObject> ObjectSource::Compile(Choice* choice, const CompileRequest& request) {
  Result<CompiledObject> compiled = choice->compiler->Compile(request);
  if (compiled.ok() || base::CodeOf(compiled.status()) == ErrorCode::kCompileFailed) {
    choice->failures = 0;
  } else {
    ++choice->failures;
  }
  std::lock_guard lock(mutex_);
  ++(request.level == OptLevel::kFast ? stats_.compiles_fast : stats_.compiles_full);
  if (compiled.ok()) {
    stats_.compile_ms += compiled->milliseconds;
    if (request.level == OptLevel::kFast) {
      stats_.compile_fast_ms += compiled->milliseconds;
      stats_.compile_fast_most_ms = std::max(stats_.compile_fast_most_ms, compiled->milliseconds);
    }
  }
  return compiled;
}

void ObjectSource::ToDisk(const Choice& choice, const CompileRequest& request,
                          const CompiledObject& object) {
  if (!disk_) return;
  const Status written = disk_->Write(DiskKey(choice, request), object.bytes);
  if (written.ok()) return;
  std::lock_guard lock(mutex_);
  ++stats_.disk_write_failures;
  if (stats_.disk_warning.empty()) stats_.disk_warning = written.message();
}

void ObjectSource::ClearDisk() {
  if (disk_) disk_->Clear();
}

KernelCacheStats ObjectSource::stats() const {
  std::lock_guard lock(mutex_);
  KernelCacheStats stats = stats_;
  if (disk_) stats.corrupt_dropped = disk_->corrupt_dropped();
  return stats;
}

}  // namespace shadowvm::vkernel
