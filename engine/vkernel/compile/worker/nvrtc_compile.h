// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/vkernel/compile/worker/nvrtc_api.h"

namespace shadowvm::vkernel {

struct NvrtcHeader {
  std::string path;
  std::string text;
};

// What NVRTC is told for an architecture such as "sm_90"; for quick code, which takes a fraction of
// the time to compile (engine/kernels/cuda/machine.h), or full code.
std::vector<std::string> NvrtcFlags(const std::string& architecture, bool quick);

struct NvrtcOutcome {
  std::string cubin;  // empty: it failed
  std::string log;
  bool is_final = true;  // false: NVRTC itself failed, and another time it may not
};

// Makes a cubin straight from kernel text of the CUDA target.
NvrtcOutcome CompileWithNvrtc(const NvrtcApi& api, const std::vector<NvrtcHeader>& headers,
                              const std::string& text, const std::vector<std::string>& flags);

}  // namespace shadowvm::vkernel
