// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/nvrtc_compiler.h"

#include <algorithm>

#include "engine/base/fault.h"
#include "engine/vkernel/compile/worker/nvrtc_compile.h"
#include "engine/vkernel/compile/worker_path.h"

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;

Result<NvrtcApi> LoadNvrtc(const std::string& library) {
  NvrtcApi api;
  std::string error;
  if (!api.Load(library, &error)) return MakeError(ErrorCode::kNoCompiler, error);
  return api;
}

// Of objects on disk: another library of the same version, or another worker, may make others.
std::string IdentityOf(const NvrtcOptions& options, const std::string& version) {
  std::string identity = "nvrtc " + version + " library " + ProgramIdentity(options.library) +
                         " worker " + ProgramIdentity(options.worker_path);
  for (const std::string& flag : NvrtcFlags(options.architecture, /*quick=*/true)) {
    identity += " " + flag;
  }
  return identity;
}

}  // namespace

Result<std::string> FindNvrtc() {
  SVM_ASSIGN_OR_RETURN(const NvrtcApi api, LoadNvrtc(""));
  return api.path + ", version " + api.version;
}

std::string FindGpuCompileWorker() { return FindWorkerProgram("shadowvm-gpu-compiler"); }

Result<std::unique_ptr<NvrtcCompiler>> NvrtcCompiler::Create(NvrtcOptions options) {
  SVM_ASSIGN_OR_RETURN(const NvrtcApi api, LoadNvrtc(options.library));
  options.library = api.path;
  if (options.worker_path.empty()) options.worker_path = FindGpuCompileWorker();
  if (options.worker_path.empty()) {
    return MakeError(ErrorCode::kNoCompiler, "shadowvm-gpu-compiler is not beside this program");
  }
  if (ProgramIdentity(options.worker_path).empty()) {
    return MakeError(ErrorCode::kNoCompiler, "no such program: " + options.worker_path);
  }
  return std::unique_ptr<NvrtcCompiler>(new NvrtcCompiler(options, api.version));
}

NvrtcCompiler::NvrtcCompiler(const NvrtcOptions& options, const std::string& version)
    : identity_(IdentityOf(options, version)),
      pool_({{options.worker_path,
              {options.library, options.architecture},
              options.architecture,
              options.prelude},
             options.headers,
             std::max(options.workers, 1),
             options.timeout}) {}

Result<CompiledObject> NvrtcCompiler::Compile(const CompileRequest& request) {
  SVM_FAULT_POINT("compile.nvrtc");
  if (request.level == OptLevel::kLibrary) {
    return CompileError(ErrorCode::kNoCompiler, request.name,
                        "kernels for a GPU hold their own verbs");
  }
  return pool_.Compile(request);
}

}  // namespace shadowvm::vkernel
