// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/worker_pool.h"

namespace shadowvm::vkernel {

struct ClangCompilerOptions {
  HeaderSet headers = EmbeddedHeaderSet();
  int workers = 2;
  std::chrono::milliseconds timeout{10'000};  // of one compile, start of the worker included
  std::string worker_path = {};               // empty: FindCompileWorker
  std::string prelude = "engine/kernels/cpu/verbs.h";  // included first; kept precompiled
};

// The worker program shadowvm-compiler; empty if it is nowhere (worker_path.h).
std::string FindCompileWorker();

// Clang as a library, in worker processes: milliseconds a kernel.
class ClangCompiler : public Compiler {
 public:
  // kNoCompiler if there is no worker program.
  static base::Result<std::unique_ptr<ClangCompiler>> Create(ClangCompilerOptions options = {});

  base::Result<CompiledObject> Compile(const CompileRequest& request) override;
  std::string identity() const override { return identity_; }

  // As the pool's.
  void UseLibrary(std::string object) { pool_.UseLibrary(std::move(object)); }
  void Prewarm() { pool_.Prewarm(); }
  std::vector<pid_t> worker_pids() const { return pool_.worker_pids(); }

 private:
  explicit ClangCompiler(const ClangCompilerOptions& options);

  const std::string identity_;
  WorkerPool pool_;
};

}  // namespace shadowvm::vkernel
