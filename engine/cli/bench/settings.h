// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shadowvm::cli {

// Where the tables are when the clock starts: kept as segments in memory, or only in their files.
enum class Residency { kHost, kFile };

// What works on the rows: cores alone, or a GPU where it can and cores where not.
enum class Mode { kCpu, kGpu };

// What `shadowvm bench ssb` was asked for.
struct BenchSettings {
  std::string data;         // folder with the five Parquet files; empty: generate in memory
  double scale_factor = 0;  // when generated
  int threads = 1;
  int runs = 5;
  int64_t memory_bytes = 0;  // 0: the engine's default
  Residency residency = Residency::kHost;
  Mode mode = Mode::kCpu;
  bool emulate_gpu = false;          // mode gpu: on the emulated one
  std::vector<std::string> queries;  // empty: all 13
  std::string json_file;
  bool interactive = false;
};

}  // namespace shadowvm::cli
