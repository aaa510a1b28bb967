// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/exec/engine.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {

// Names of devices on the wire.
inline constexpr char kCpuDevice[] = "cpu";
inline constexpr char kGpuDevice[] = "gpu";

// What an engine works with. Waits for a GPU that is being opened.
void ListDevices(exec::Engine* engine, v1::HandshakeResponse* response);

// What devices beside the CPU hold, and whether they are in use.
void DescribeDevices(exec::Engine* engine, v1::StatusResponse* status);

// What a client asks for as the engine takes it; unknown modes leave the choice to the engine.
schedule::Mode ModeOf(const v1::Execution& execution);

// A mode as clients are told of it, and as they ask for it.
v1::Mode WireMode(schedule::Mode mode);

// Counters of a cache of compiled code.
void SetCounters(const vkernel::KernelCacheStats& stats, v1::KernelCounters* counters);

}  // namespace shadowvm::node
