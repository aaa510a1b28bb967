// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/schedule/mode.h"
#include "engine/schedule/policy.h"

namespace shadowvm::cli {

// Where the tables are when the clock starts: in the GPU's memory as far as they fit, kept as
// segments in the host's memory, or only in their files.
enum class Residency { kDevice, kHost, kFile };

// How a GPU comes by segments that are not in its memory: it reads them in place, or they are
// copied chunk by chunk.
enum class Prefetch { kPassive, kActive };

using schedule::Mode;

// What `shadowvm bench ssb` was asked for.
struct BenchSettings {
  std::string data;         // folder with the five Parquet files; empty: generate in memory
  double scale_factor = 0;  // when generated
  int threads = 1;
  int runs = 5;
  int64_t memory_bytes = 0;  // 0: the engine's default
  Residency residency = Residency::kHost;
  Prefetch prefetch = Prefetch::kPassive;  // mode gpu, where tables are not in its memory
  int active_streams = 2;                  // of active prefetch
  int64_t device_memory_bytes = 0;         // of the GPU, to be used; 0: the engine's default
  int gpu_tasks = 0;  // queries that work on the GPU at a time; 0: the engine's default
  Mode mode = Mode::kCpu;
  schedule::PolicyChoice policy;  // mode mixed
  std::string trace_file;         // mode mixed and auto; empty: none
  int clients = 1;                // that ask all queries at the same time, after the measured runs
  bool emulate_gpu = false;       // mode gpu, mixed, auto: with the emulated one
  bool keep_builds = false;       // build sides of generated tables stay for the next run
  std::string connect;            // the address of a node to ask
  bool own_node = false;          // ask a node that this process starts
  bool coupled = false;           // mode gpu: the GPU is opened for each run
  std::vector<std::string> queries;  // empty: all 13
  std::string json_file;
  bool interactive = false;
};

}  // namespace shadowvm::cli
