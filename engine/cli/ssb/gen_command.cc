// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/gen_command.h"

#include <arrow/util/compression.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "engine/cli/machine.h"
#include "engine/cli/number_range.h"
#include "engine/cli/progress.h"
#include "engine/cli/ssb/write_parquet.h"
#include "engine/cli/stop_request.h"

namespace shadowvm::cli {
namespace {

constexpr const char* kExplanation =
    R"(DIR gets lineorder.parquet, customer.parquet, supplier.parquet, part.parquet and
date.parquet. The same seed gives the same rows, whatever the number of threads.

Examples:
  shadowvm gen ssb --sf 1 --out data/ssb-sf1                  6 million lineorder rows, a few seconds
  shadowvm gen ssb --sf 10 --out data/ssb-sf10 --threads 8    60 million rows
  shadowvm gen ssb --sf 0.01 --out /tmp/tiny --compression none)";

base::Status MakeDirectory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (!error) return base::Status::OK();
  return base::MakeError(base::ErrorCode::kWriteFailed,
                         directory.string() + ": " + error.message());
}

base::Result<ssb::WriteOptions> MakeWriteOptions(const GenOptions& options) {
  ssb::WriteOptions write;
  write.directory = options.directory;
  write.threads = options.threads > 0 ? options.threads : NumUsableCores();
  write.row_group_rows = options.row_group_rows;
  const std::string codec = options.compression == "none" ? "uncompressed" : options.compression;
  SVM_ASSIGN_OR_RETURN(write.compression, arrow::util::Codec::GetCompressionType(codec));
  return write;
}

base::Status WriteTable(const ssb::TableGenerator& table, const ssb::WriteOptions& options,
                        const StopRequest& stop) {
  const auto start = std::chrono::steady_clock::now();
  {
    ProgressBar bar(table.name(), table.num_rows());
    SVM_RETURN_NOT_OK(ssb::WriteParquet(table, options, [&](int64_t rows) {
      bar.Update(rows);
      return stop.Check();
    }));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto path = options.directory / (table.name() + ".parquet");
  std::error_code unknown_size;
  const double megabytes =
      static_cast<double>(std::filesystem::file_size(path, unknown_size)) / 1e6;
  std::printf("%-10s %12lld rows %10.1f MB %7.1f s\n", table.name().c_str(),
              static_cast<long long>(table.num_rows()), megabytes, seconds);
  std::fflush(stdout);
  return base::Status::OK();
}

}  // namespace

base::Status GenerateSsb(const GenOptions& options) {
  const StopRequest stop;
  SVM_ASSIGN_OR_RETURN(const ssb::Scale scale, ssb::MakeScale(options.scale_factor, options.seed));
  SVM_ASSIGN_OR_RETURN(const ssb::WriteOptions write, MakeWriteOptions(options));
  SVM_RETURN_NOT_OK(MakeDirectory(write.directory));
  for (const auto& table : ssb::MakeTables(scale)) {
    SVM_RETURN_NOT_OK(WriteTable(*table, write, stop));
  }
  return base::Status::OK();
}

void AddGenCommand(CLI::App* app, base::Status* status) {
  auto options = std::make_shared<GenOptions>();
  CLI::App* gen = app->add_subcommand("gen", "Generate benchmark data");
  gen->require_subcommand(1);
  CLI::App* ssb =
      gen->add_subcommand("ssb", "Write the tables of the Star Schema Benchmark as Parquet files");
  ssb->footer(kExplanation);
  ssb->add_option("--sf", options->scale_factor,
                  "Scale factor: 1 is about 6 million lineorder rows")
      ->required()
      ->check(NumberIn(ssb::kMinFactor, ssb::kMaxFactor));
  ssb->add_option("--out", options->directory, "Folder for the files; made when missing")
      ->required();
  ssb->add_option("--threads", options->threads, "Threads (default: one per core)")
      ->check(WholeNumberIn(1, 1024));
  ssb->add_option("--seed", options->seed, "Another seed, other rows")->capture_default_str();
  ssb->add_option("--compression", options->compression, "none, snappy or zstd")
      ->check(CLI::IsMember({"none", "snappy", "zstd"}))
      ->capture_default_str();
  ssb->add_option("--row-group", options->row_group_rows, "Rows of a row group")
      ->check(WholeNumberIn(1024, int64_t{1} << 26))
      ->capture_default_str();
  ssb->callback([options, status] { *status = GenerateSsb(*options); });
}

}  // namespace shadowvm::cli
