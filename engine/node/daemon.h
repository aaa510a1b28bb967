// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "engine/base/status.h"
#include "engine/exec/engine.h"
#include "engine/node/trace_folder.h"

namespace shadowvm::node {

struct NodeOptions {
  std::string address;  // empty: DefaultSocketPath
  exec::EngineOptions engine;
  std::chrono::milliseconds drain{10'000};  // what queries get to end by themselves after a signal
  std::string version;
  // Stop also when standard input ends: a node that a program started for itself does not outlive
  // the program, however that ends.
  bool exit_with_input = false;
  std::filesystem::path shared_root = "/dev/shm";  // a folder in memory, for answers
  TraceFolderOptions traces;
  schedule::PolicyChoice policy;  // mode mixed
};

// Serves until it is asked to stop (StopRequests). Then it takes no further queries, waits for
// those that run, cancels what is left after 'drain' or at a second signal, and removes its socket
// and its shared files. Once it listens it says so in one line of JSON on standard output:
// {"event":"ready","address":"unix:…","pid":…,"protocol":…,"version":…}. To be called before the
// process has threads of its own: signals are blocked here for all that start later.
base::Status RunNode(const NodeOptions& options);

}  // namespace shadowvm::node
