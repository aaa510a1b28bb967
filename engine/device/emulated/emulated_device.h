// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>

#include "engine/device/accelerator.h"

namespace shadowvm::device {

struct EmulatedOptions {
  int64_t memory_bytes = int64_t{1} << 30;
  int64_t shared_bytes = 64 << 10;
  int num_processors = 3;
  int max_block_threads = 64;
};

// A GPU that is none: it runs the text of a GPU's kernel, compiled for the host
// (engine/kernels/cuda/emulation.h), so that every path to a card can be tested without one. It is
// as unforgiving as a card where that is cheap:
// - its memory can be neither read nor written by the host outside of copies and launches;
// - a stream does nothing before Synchronize, so a result read too early, or an argument that is
//   gone too soon, shows;
// - what was not written, or is forgotten, holds a pattern, in memory and in shared memory alike;
// - there is no more memory than it was given;
// - a kernel fails that writes to the host's memory, or reads it where its pages are not mapped;
// - lanes of a warp that come to one place are together there, as they mostly are on a card.
// Accesses are seen in code of the compile worker (engine/vkernel/compile/worker/note_accesses.h),
// not in that of the machine's own compiler. Its code is a shared object. Fault points
// device.emulated.allocate and device.emulated.map.
base::Result<std::unique_ptr<Accelerator>> MakeEmulatedDevice(const EmulatedOptions& options = {});

}  // namespace shadowvm::device
