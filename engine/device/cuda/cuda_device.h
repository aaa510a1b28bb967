// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>

#include "engine/device/accelerator.h"

namespace shadowvm::device {

// The first NVIDIA card of this machine, as its driver describes it; nothing is started on it.
// kUnsupported says why there is none.
base::Result<AcceleratorFacts> FindCudaDevice();

// Starts the card: some 300 ms, once. Its code is a cubin for facts().architecture.
base::Result<std::unique_ptr<Accelerator>> OpenCudaDevice();

}  // namespace shadowvm::device
