// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/cli/processor_options.h"

namespace shadowvm::cli {

// What `shadowvm bench ssb` was asked for.
struct BenchSettings : ProcessorSettings {
  std::string data;         // folder with the five Parquet files; empty: generate
  double scale_factor = 0;  // when generated: as files for residency file, else in memory
  int threads = 1;
  int runs = 5;
  int64_t memory_bytes = 0;  // 0: the engine's default
  std::string trace_file;    // mode mixed and auto; empty: none
  int clients = 1;           // that ask all queries at the same time, after the measured runs
  bool keep_builds = false;  // build sides of generated tables stay for the next run
  std::string connect;       // the address of a node to ask
  bool own_node = false;     // ask a node that this process starts
  bool coupled = false;      // mode gpu: the GPU is opened for each run
  std::vector<std::string> queries;  // empty: all 13
  std::string json_file;
  bool interactive = false;
};

}  // namespace shadowvm::cli
