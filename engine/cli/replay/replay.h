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
#include "engine/cli/device_report.h"
#include "engine/cli/processor_options.h"
#include "engine/cli/replay/row_digest.h"
#include "engine/exec/engine.h"
#include "engine/schedule/query_trace.h"

namespace shadowvm::cli {

struct ReplaySettings : ProcessorSettings {
  std::vector<std::string> files;
  std::string data_root;  // put before relative paths of scans
  std::string out;        // where answers go: a file, or a folder for several commands
  std::string json_file;
  std::string trace_file;
  int threads = 0;           // 0: one per core
  int64_t memory_bytes = 0;  // 0: the engine's default
  int64_t partitions = 0;    // that a pipeline's source is cut into; 0: as many as suit
  int runs = 1;              // of each command
};

// What became of one command. Its first run reads files and compiles: of several runs the fastest
// after it is told.
struct Replay {
  std::string file;
  base::Status status;  // the rest holds only if it is OK
  double total_ms = 0;
  double first_ms = 0;                              // of its first run
  std::array<double, base::kNumStages> stage_ms{};  // by base::Stage, added up over threads
  int64_t bytes_read = 0;
  int64_t rows = 0;
  RowDigest digest;
  // Of the answers of all runs. Sums of doubles in another order, and limits, may differ.
  bool runs_agree = true;
  GpuMisses gpu_misses;                   // of all runs
  exec::GpuTimes gpu;                     // where there is one, as the rest
  std::vector<PlacedPipeline> pipelines;  // with kernels
  std::vector<exec::SortDevices> sorts;
  std::vector<exec::FillDevices> fills;
  std::vector<schedule::QueryTrace> traces;  // of those that were split, if asked for
};

// Runs one command file. 'out' is the file of the first run's answer; empty: it is not kept.
Replay RunCommandFile(exec::Engine* engine, const ReplaySettings& settings, const std::string& file,
                      const std::filesystem::path& out);

// Runs every file of the settings in turn on one engine, so that later ones find tables and kernels
// of earlier ones. A command that fails does not stop those after it. Fails itself only where there
// is no engine to run on.
base::Result<std::vector<Replay>> RunCommandFiles(const ReplaySettings& settings);

}  // namespace shadowvm::cli
