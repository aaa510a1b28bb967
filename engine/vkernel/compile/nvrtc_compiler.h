// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/worker_pool.h"

namespace shadowvm::vkernel {

struct NvrtcOptions {
  HeaderSet headers = EmbeddedHeaderSet();
  std::string architecture = "sm_90";  // of the card the code is for
  std::string library = {};            // empty: FindNvrtc
  // The header that texts include first: a worker tries it before it says that it is ready. Empty:
  // it tries nothing.
  std::string prelude = {};
  // Two for kernels that are waited for, those of a query's tables and of its scan; one for others.
  int workers = 3;
  std::chrono::milliseconds timeout{30'000};  // of one compile, start of the worker included
  std::string worker_path = {};               // empty: FindGpuCompileWorker
};

// Where NVRTC is: $SHADOWVM_NVRTC, or the loader's own search, or CUDA's usual folder, with its
// version, for messages. kNoCompiler says where it was looked for.
base::Result<std::string> FindNvrtc();

// The worker program shadowvm-gpu-compiler; empty if it is nowhere (worker_path.h).
std::string FindGpuCompileWorker();

// NVIDIA's run-time compiler makes cubins for one architecture straight from kernel text of the
// CUDA target. It needs no card. It compiles in worker processes, because there are texts that
// crash it; this process loads it too, but only to ask for its version.
class NvrtcCompiler : public Compiler {
 public:
  // kNoCompiler if there is no NVRTC or no worker program.
  static base::Result<std::unique_ptr<NvrtcCompiler>> Create(NvrtcOptions options = {});

  // kFast is quick code, kFull the best. Fault point compile.nvrtc.
  base::Result<CompiledObject> Compile(const CompileRequest& request) override;
  std::string identity() const override { return identity_; }

  // As the pool's.
  void Prewarm() { pool_.Prewarm(); }
  std::vector<pid_t> worker_pids() const { return pool_.worker_pids(); }

 private:
  NvrtcCompiler(const NvrtcOptions& options, const std::string& version);

  const std::string identity_;
  WorkerPool pool_;
};

}  // namespace shadowvm::vkernel
