// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <string>

#include "engine/vkernel/compile/compiler.h"

namespace shadowvm::vkernel {

struct NvrtcApi;

struct NvrtcOptions {
  HeaderSet headers = EmbeddedHeaderSet();
  std::string architecture = "sm_90";  // of the card the code is for
  std::string library = {};            // empty: FindNvrtc
};

// Where NVRTC is: $SHADOWVM_NVRTC, or the loader's own search, or CUDA's usual folder, with its
// version, for messages. kNoCompiler says where it was looked for.
base::Result<std::string> FindNvrtc();

// NVIDIA's run-time compiler, loaded at run time, makes cubins for one architecture straight from
// kernel text of the CUDA target. It needs no card. It runs in this process: a crash of the
// compiler is a crash of the program, which is why texts that are known to crash it are not written
// (engine/kernels/common/wide.h).
class NvrtcCompiler : public Compiler {
 public:
  static base::Result<std::unique_ptr<NvrtcCompiler>> Create(NvrtcOptions options = {});

  // There is one level of code: `request.level` says kFast or kFull and means the same.
  base::Result<CompiledObject> Compile(const CompileRequest& request) override;
  std::string identity() const override { return identity_; }

 private:
  NvrtcCompiler(NvrtcOptions options, const NvrtcApi* api, std::string version);

  const NvrtcOptions options_;
  const NvrtcApi* const api_;
  const std::string identity_;
};

}  // namespace shadowvm::vkernel
