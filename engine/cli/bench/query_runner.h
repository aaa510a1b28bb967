// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/cli/bench/sector_count.h"
#include "engine/cli/bench/settings.h"
#include "engine/cli/device_report.h"
#include "engine/schedule/query_trace.h"

namespace shadowvm::cli {

// The kernel of one pipeline on the GPU.
struct GpuKernel {
  std::string title;
  double milliseconds = 0;
};

// One run of one query.
struct QueryRun {
  double total_ms = 0;       // from asking to the whole answer
  bool is_split = true;      // false: nothing else is known of it but its answer
  double plan_ms = 0;        // of it
  double render_ms = 0;      // of it, writing kernels
  double compile_ms = 0;     // of it, waiting for kernels to compile
  double scan_ms = 0;        // of it, reading files; added up over threads
  double cpu_kernel_ms = 0;  // of it, kernels on cores; added up over threads
  double merge_ms = 0;       // of it, after all rows were seen; added up over threads
  int64_t compiles = 0;      // kernels compiled for it, none when all came from the cache
  int64_t bytes =
      0;  // encoded bytes of the columns the query reads: what the bandwidth floor is made of
  double gpu_ms = 0;                   // of it, kernels on the GPU
  std::vector<GpuKernel> gpu_kernels;  // these
  double copy_ms = 0;                  // of it, waiting for copies to the GPU
  int64_t link_bytes = 0;    // to the GPU: copied, or estimated where kernels read in place
  int64_t device_bytes = 0;  // of the GPU's memory that kernels read; estimated
  // Why the GPU did not scan the fact table; empty: it did, or was not meant to.
  std::string gpu_why_not;
  std::vector<PlacedPipeline> pipelines;     // with kernels, where there is a GPU
  std::vector<schedule::QueryTrace> traces;  // of those that were split, if asked for
  std::shared_ptr<arrow::Table> answer;
};

// How much memory columns take as segments, and as plain int32.
struct Footprint {
  int64_t bytes = 0;
  int64_t plain_bytes = 0;
};

// What became of the GPU's kernels so far, of all queries.
struct GpuKernelCounts {
  int64_t compiled = 0;  // that a query waited for
  double compile_ms = 0;
  double compile_most_ms = 0;  // of a single one
  int64_t compiled_full = 0;   // in the background, to better code
  double compile_full_ms = 0;
  int64_t from_disk = 0;
  double disk_ms = 0;  // reading them
  double load_ms = 0;  // giving all of them to the GPU
};

// The benchmark's queries, over one set of tables. The bench knows nothing else of the engine.
// Run may be called from several threads at a time.
class QueryRunner {
 public:
  virtual ~QueryRunner() = default;

  // In the benchmark's order: "q1.1" … "q4.3".
  virtual std::vector<std::string> queries() const = 0;
  // 'constants' replaces some of the query's constants by name; an empty object asks the query as
  // specified.
  virtual base::Result<QueryRun> Run(const std::string& query, const nlohmann::json& constants) = 0;
  // Waits until kernels that have been run before have the code they will keep.
  virtual void AwaitCode() {}
  // Of columns of one table; tables are resident.
  virtual base::Result<Footprint> FootprintOf(const std::string& table,
                                              const std::vector<std::string>& columns) = 0;

  // The rest is for runners whose engine is in this process and stays.

  // Later runs are as these settings say; tables stay where they are.
  virtual base::Status Change(const BenchSettings&) { return NotHere(); }
  virtual base::Result<SectorCount> SectorsOf(const std::string& /*query*/) { return NotHere(); }
  virtual base::Result<GpuKernelCounts> CountGpuKernels() { return NotHere(); }

 private:
  static base::Status NotHere() {
    return base::MakeError(base::ErrorCode::kUnsupported,
                           "only of an engine in this process: without --node, --connect, "
                           "--coupled");
  }
};

// Opens the tables; with residency host, also brings them into memory.
using RunnerFactory =
    std::function<base::Result<std::unique_ptr<QueryRunner>>(const BenchSettings&)>;

}  // namespace shadowvm::cli
