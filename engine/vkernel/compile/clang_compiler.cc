// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/clang_compiler.h"

#include <algorithm>
#include <utility>

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::Result;

}  // namespace

Result<std::unique_ptr<ClangCompiler>> ClangCompiler::Create(ClangCompilerOptions options) {
  if (options.worker_path.empty()) options.worker_path = FindCompileWorker();
  if (options.worker_path.empty()) {
    return base::MakeError(ErrorCode::kNoCompiler, "shadowvm-compiler is not installed");
  }
  if (ProgramIdentity(options.worker_path).empty()) {
    return base::MakeError(ErrorCode::kNoCompiler, "no such program: " + options.worker_path);
  }
  return std::unique_ptr<ClangCompiler>(new ClangCompiler(options));
}

ClangCompiler::ClangCompiler(const ClangCompilerOptions& options)
    : identity_("worker " + ProgramIdentity(options.worker_path) + " cpu " + HostCpuIdentity()),
      pool_({{options.worker_path, {}, "host", options.prelude},
             options.headers,
             std::max(options.workers, 1),
             options.timeout}) {}

Result<CompiledObject> ClangCompiler::Compile(const CompileRequest& request) {
  if (request.sanitize) {
    return CompileError(ErrorCode::kNoCompiler, request.name,
                        "the compile worker does not instrument kernels");
  }
  return pool_.Compile(request);
}

}  // namespace shadowvm::vkernel
