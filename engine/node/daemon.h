// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <string>

#include "engine/base/status.h"
#include "engine/exec/engine.h"

namespace shadowvm::node {

struct NodeOptions {
  std::string address;  // empty: DefaultSocketPath
  exec::EngineOptions engine;
  std::chrono::milliseconds drain{10'000};  // what queries get to end by themselves after a signal
  std::string version;
};

// Serves until SIGTERM or SIGINT, then takes no further queries, waits for those that run, cancels
// what is left after 'drain' or at a second signal, and removes its socket. Says on standard output
// when it listens and when it stops. To be called before the process has threads of its own: the
// two signals are blocked here for all that start later.
base::Status RunNode(const NodeOptions& options);

}  // namespace shadowvm::node
