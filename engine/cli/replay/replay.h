// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/span.h"
#include "engine/base/status.h"
#include "engine/cli/replay/row_digest.h"
#include "engine/exec/engine.h"

namespace shadowvm::cli {

struct ReplaySettings {
  std::vector<std::string> files;
  std::string data_root;  // put before relative paths of scans
  std::string out;        // where answers go: a file, or a folder for several commands
  std::string json_file;
  int threads = 0;           // 0: one per core
  int64_t memory_bytes = 0;  // 0: the engine's default
  schedule::Mode mode = schedule::Mode::kCpu;
  schedule::PolicyChoice policy = {};  // mode mixed
  int64_t partitions = 0;              // that a pipeline's source is cut into; 0: as many as suit
  bool emulate_gpu = false;
};

// What became of one command.
struct Replay {
  std::string file;
  base::Status status;  // the rest holds only if it is OK
  double total_ms = 0;
  std::array<double, base::kNumStages> stage_ms{};  // by base::Stage, added up over threads
  int64_t bytes_read = 0;
  int64_t rows = 0;
  RowDigest digest;
  std::vector<exec::PipelineDevices> pipelines;  // with kernels, where there is a GPU
};

// Runs one command file. 'out' is the answer's file; empty: the answer is not kept.
Replay RunCommandFile(exec::Engine* engine, const ReplaySettings& settings, const std::string& file,
                      const std::filesystem::path& out);

// Runs every file of the settings in turn on one engine, so that later ones find tables and kernels
// of earlier ones. A command that fails does not stop those after it. Fails itself only where there
// is no engine to run on.
base::Result<std::vector<Replay>> RunCommandFiles(const ReplaySettings& settings);

}  // namespace shadowvm::cli
