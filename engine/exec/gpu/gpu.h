// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "engine/device/accelerator.h"
#include "engine/exec/gpu/device_copies.h"
#include "engine/vkernel/compile/program_cache.h"

namespace shadowvm::exec {

enum class GpuKind : uint8_t { kNone, kCuda, kEmulated };

struct GpuOptions {
  GpuKind kind = GpuKind::kNone;
  vkernel::ProgramCacheOptions programs;
};

// What an engine's queries share of a GPU: the card, the programs made for it, and the tables that
// are in its memory. Opened once and kept.
class Gpu {
 public:
  // kUnsupported or kNoCompiler says what is missing.
  static base::Result<std::unique_ptr<Gpu>> Open(const GpuOptions& options);

  const device::AcceleratorFacts& facts() const { return accelerator_->facts(); }
  // Thread-safe.
  vkernel::ProgramCache& programs() { return *programs_; }

  // What a launch works with. One query has it at a time; it waits for the one before.
  class Turn {
   public:
    explicit Turn(Gpu* gpu) : gpu_(*gpu), lock_(gpu->mutex_) {}

    device::Stream* stream() { return gpu_.stream_.get(); }
    DeviceCopies& copies() { return *gpu_.copies_; }
    // Memory for what one launch is told, at least 'bytes'; the same at every turn unless it grows.
    base::Result<device::DeviceAddress> Scratch(int64_t bytes);

   private:
    Gpu& gpu_;
    std::lock_guard<std::mutex> lock_;
  };

 private:
  Gpu(std::unique_ptr<device::Accelerator> accelerator, std::unique_ptr<device::Stream> stream,
      const vkernel::ProgramCacheOptions& options, std::unique_ptr<vkernel::Compiler> compiler);

  // In the order of their making: what is below goes before what it was made from.
  std::unique_ptr<device::Accelerator> accelerator_;
  std::unique_ptr<device::Stream> stream_;
  std::unique_ptr<vkernel::ProgramCache> programs_;
  std::unique_ptr<DeviceCopies> copies_;
  device::DeviceMemory scratch_;
  std::mutex mutex_;
};

}  // namespace shadowvm::exec
