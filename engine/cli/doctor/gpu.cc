// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/byte_size.h"
#include "engine/cli/doctor/finding.h"
#include "engine/device/cuda/cuda_device.h"
#include "engine/vkernel/compile/nvrtc_compiler.h"

namespace shadowvm::cli {

Finding FindGpu() {
  const auto facts = device::FindCudaDevice();
  if (!facts.ok()) {
    return {"gpu", Finding::State::kMissing,
            "none, queries run on the CPU: " + facts.status().message()};
  }
  return {"gpu", Finding::State::kGood,
          facts->name + " (" + facts->architecture + "), " + FormatBytes(facts->memory_bytes) +
              ", " + std::to_string(facts->num_processors) + " processors, " + facts->link +
              ", driver for " + facts->driver};
}

Finding FindGpuCompiler() {
  const auto found = vkernel::FindNvrtc();
  if (!found.ok()) {
    return {"gpu compiler", Finding::State::kMissing,
            "no kernel can be made for a GPU: " + found.status().message() +
                ". It comes with the CUDA toolkit, or alone: pip install nvidia-cuda-nvrtc"};
  }
  const std::string worker = vkernel::FindGpuCompileWorker();
  if (worker.empty()) {
    return {"gpu compiler", Finding::State::kMissing,
            *found + ", but shadowvm-gpu-compiler, which runs it, is not beside this program"};
  }
  return {"gpu compiler", Finding::State::kGood, *found + ", run by " + worker};
}

}  // namespace shadowvm::cli
