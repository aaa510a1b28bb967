// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/cli/bench/bandwidth.h"
#include "engine/cli/bench/query_runner.h"
#include "engine/cli/bench/settings.h"
#include "engine/cli/machine.h"

namespace shadowvm::cli {

// All runs of one query.
struct QueryReport {
  std::string name;
  double first_ms = 0;
  double min_ms = 0;
  double median_ms = 0;
  double compile_ms = 0;  // of the first run
  int64_t bytes = 0;
  nlohmann::json rows;
  double gpu_min_ms = 0;  // mode gpu: of kernels
  double gpu_median_ms = 0;
  std::vector<GpuKernel> gpu_kernels = {};  // of the run that gpu_min_ms is of
  double overhead_us = 0;                   // mode gpu: the least time of a run beside its kernels
  GpuMisses gpu_misses = {};
  int64_t partitions = 0;        // mode mixed: of all runs
  int64_t partitions_again = 0;  // of them, begun by both sides
  QueryRun fastest = {};         // without its answer
};

// What several clients took together: each asked every query once.
struct ClientsReport {
  int clients = 0;           // 0: not measured
  double one_by_one_ms = 0;  // one client after another
  double at_the_same_time_ms = 0;
  GpuMisses gpu_misses = {};
};

struct BenchReport {
  Machine machine;
  Bandwidth bandwidth;
  BenchSettings settings;
  std::vector<QueryReport> queries;
  ClientsReport clients = {};
};

// The time to read whole columns once over the time taken: bytes / bandwidth / min_ms. A yardstick,
// not a bound: rows that a filter dropped are not read in later columns, and a cache is faster than
// memory, so a query may pass 1.
double FloorFraction(const QueryReport& query, double bytes_per_second);

nlohmann::ordered_json ToJson(const Machine& machine, const Bandwidth& bandwidth);
nlohmann::ordered_json ToJson(const BenchSettings& settings);
// Without what a bandwidth is needed for.
nlohmann::ordered_json ToJson(const QueryReport& query, const BenchSettings& settings);
nlohmann::ordered_json ToJson(const ClientsReport& clients);
nlohmann::ordered_json ToJson(const BenchReport& report);
void PrintReport(const BenchReport& report);

}  // namespace shadowvm::cli
