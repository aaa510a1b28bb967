// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>

#include "engine/base/status.h"

namespace CLI {
class App;
}

namespace shadowvm::cli {

struct GenOptions {
  double scale_factor = 1;
  std::string directory;
  int threads = 0;  // 0: one per core
  uint64_t seed = 1;
  // Key and measure columns hardly compress: reading them back costs more than the bytes are worth.
  std::string compression = "none";
  int64_t row_group_rows = 1024 * 1024;
};

// Writes the five tables of the Star Schema Benchmark, with a progress bar and a line per table.
base::Status GenerateSsb(const GenOptions& options);

// `shadowvm gen ssb`. When it was called, its outcome is in *status after parsing.
void AddGenCommand(CLI::App* app, base::Status* status);

}  // namespace shadowvm::cli
