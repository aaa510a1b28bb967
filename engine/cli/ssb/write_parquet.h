// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/util/type_fwd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "engine/base/status.h"
#include "engine/cli/ssb/table_generator.h"

namespace shadowvm::cli::ssb {

struct WriteOptions {
  std::filesystem::path directory;
  int threads = 1;
  arrow::Compression::type compression = arrow::Compression::UNCOMPRESSED;
  int64_t row_group_rows = 1024 * 1024;  // one segment of the engine
};

// Called after every row group with the rows written so far. An error ends the writing.
using OnProgress = std::function<base::Status(int64_t num_rows)>;

// Writes DIRECTORY/<table>.parquet. Row groups are made and encoded by options.threads threads and
// written in order; a few of them are in memory at a time. The file appears under its name when it
// is complete, or not at all.
base::Status WriteParquet(const TableGenerator& table, const WriteOptions& options,
                          const OnProgress& on_progress);

}  // namespace shadowvm::cli::ssb
