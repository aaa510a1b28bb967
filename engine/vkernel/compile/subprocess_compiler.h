// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "engine/vkernel/compile/compiler.h"

namespace shadowvm::vkernel {

// The C++ compiler of this machine: the first of c++, g++ and clang++ in PATH; empty if none is
// there.
std::string FindCompilerProgram();

struct SubprocessCompilerOptions {
  HeaderSet headers = EmbeddedHeaderSet();
  std::string program = {};  // a name in PATH or a path; empty: FindCompilerProgram
  std::chrono::milliseconds timeout{30'000};
};

// The machine's C++ compiler, run once per kernel: slower than a worker, but it needs no Clang
// library and can instrument kernels as the program is. Text and headers lie in a private folder
// while it runs; no shell.
class SubprocessCompiler : public Compiler {
 public:
  // kNoCompiler if there is no such program.
  static base::Result<std::unique_ptr<SubprocessCompiler>> Create(
      SubprocessCompilerOptions options = {});

  base::Result<CompiledObject> Compile(const CompileRequest& request) override;
  std::string identity() const override { return identity_; }

 private:
  explicit SubprocessCompiler(SubprocessCompilerOptions options);

  base::Status WriteInputs(const std::string& folder, const CompileRequest& request) const;

  const SubprocessCompilerOptions options_;  // with the program's path
  const std::string identity_;
};

}  // namespace shadowvm::vkernel
