// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/gpu.h"

#include "engine/device/cuda/cuda_device.h"
#include "engine/device/emulated/emulated_device.h"
#include "engine/vkernel/compile/nvrtc_compiler.h"
#include "engine/vkernel/compile/subprocess_compiler.h"

namespace shadowvm::exec {
namespace {

using base::Result;

Result<std::unique_ptr<device::Accelerator>> OpenAccelerator(GpuKind kind) {
  if (kind == GpuKind::kCuda) return device::OpenCudaDevice();
  return device::MakeEmulatedDevice();
}

// Text for a GPU becomes a cubin, or with the host's compiler the emulated device's shared object.
Result<std::unique_ptr<vkernel::Compiler>> MakeCompiler(GpuKind kind, vkernel::HeaderSet headers,
                                                        const device::AcceleratorFacts& facts) {
  if (kind == GpuKind::kCuda) {
    SVM_ASSIGN_OR_RETURN(auto compiler,
                         vkernel::NvrtcCompiler::Create({headers, facts.architecture, ""}));
    return compiler;
  }
  SVM_ASSIGN_OR_RETURN(auto compiler, vkernel::SubprocessCompiler::Create({.headers = headers}));
  return compiler;
}

}  // namespace

Result<std::unique_ptr<Gpu>> Gpu::Open(const GpuOptions& options) {
  SVM_ASSIGN_OR_RETURN(auto accelerator, OpenAccelerator(options.kind));
  SVM_ASSIGN_OR_RETURN(auto compiler,
                       MakeCompiler(options.kind, options.programs.headers, accelerator->facts()));
  SVM_ASSIGN_OR_RETURN(auto stream, accelerator->MakeStream());
  return std::unique_ptr<Gpu>(
      new Gpu(std::move(accelerator), std::move(stream), options.programs, std::move(compiler)));
}

Gpu::Gpu(std::unique_ptr<device::Accelerator> accelerator, std::unique_ptr<device::Stream> stream,
         const vkernel::ProgramCacheOptions& options, std::unique_ptr<vkernel::Compiler> compiler)
    : accelerator_(std::move(accelerator)),
      stream_(std::move(stream)),
      programs_(std::make_unique<vkernel::ProgramCache>(options, accelerator_.get(),
                                                        std::move(compiler))),
      copies_(std::make_unique<DeviceCopies>(accelerator_.get())) {}

Result<device::DeviceAddress> Gpu::Turn::Scratch(int64_t bytes) {
  if (gpu_.scratch_.bytes() < bytes) {
    gpu_.scratch_ = device::DeviceMemory();
    SVM_ASSIGN_OR_RETURN(gpu_.scratch_, gpu_.accelerator_->Allocate(bytes + bytes / 2));
  }
  return gpu_.scratch_.address();
}

}  // namespace shadowvm::exec
