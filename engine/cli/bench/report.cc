// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/report.h"

#include <cmath>
#include <cstdio>

#include "engine/cli/byte_size.h"

namespace shadowvm::cli {

namespace {

void PrintGpu(const BenchReport& report) {
  std::printf("\nkernels on the GPU\nquery     min ms   median\n");
  for (const auto& query : report.queries) {
    if (query.gpu_why_not.empty()) {
      std::printf("%-6s %9.3f %8.3f\n", query.name.c_str(), query.gpu_min_ms, query.gpu_median_ms);
    } else {
      std::printf("%-6s on the CPU: %s\n", query.name.c_str(), query.gpu_why_not.c_str());
    }
  }
}

}  // namespace

double FloorFraction(const QueryReport& query, double bytes_per_second) {
  if (query.min_ms <= 0 || bytes_per_second <= 0) return 0;
  return static_cast<double>(query.bytes) / bytes_per_second / (query.min_ms / 1e3);
}

nlohmann::ordered_json ToJson(const Machine& machine, const Bandwidth& bandwidth) {
  nlohmann::ordered_json json = ToJson(machine);
  json["read_bytes_per_second"] = {{"one_thread", bandwidth.one_thread}, {"all", bandwidth.all}};
  return json;
}

nlohmann::ordered_json ToJson(const BenchSettings& settings) {
  nlohmann::ordered_json json;
  json["benchmark"] = "ssb";
  if (settings.data.empty()) {
    json["sf"] = settings.scale_factor;
  } else {
    json["data"] = settings.data;
  }
  json["threads"] = settings.threads;
  json["runs"] = settings.runs;
  json["memory"] = settings.memory_bytes;
  json["residency"] = settings.residency == Residency::kHost ? "host" : "file";
  json["mode"] = settings.mode == Mode::kGpu ? "gpu" : "cpu";
  if (settings.emulate_gpu) json["emulate_gpu"] = true;
  return json;
}

nlohmann::ordered_json ToJson(const BenchReport& report) {
  nlohmann::ordered_json json;
  json["machine"] = ToJson(report.machine, report.bandwidth);
  json["settings"] = ToJson(report.settings);
  json["queries"] = nlohmann::ordered_json::array();
  for (const auto& query : report.queries) {
    nlohmann::ordered_json entry;
    entry["name"] = query.name;
    entry["first_ms"] = query.first_ms;
    entry["min_ms"] = query.min_ms;
    entry["median_ms"] = query.median_ms;
    entry["compile_ms"] = query.compile_ms;
    entry["bytes"] = query.bytes;
    entry["floor_fraction"] = FloorFraction(query, report.bandwidth.all);
    if (report.settings.mode == Mode::kGpu) {
      entry["gpu_kernel_min_ms"] = query.gpu_min_ms;
      entry["gpu_kernel_median_ms"] = query.gpu_median_ms;
      if (!query.gpu_why_not.empty()) entry["gpu_why_not"] = query.gpu_why_not;
    }
    entry["rows"] = query.rows;
    json["queries"].push_back(std::move(entry));
  }
  return json;
}

void PrintReport(const BenchReport& report) {
  std::printf("%s, %d cores; %d threads; reads %.1f GB/s with one thread, %.1f with %d\n\n",
              report.machine.cpu_model.c_str(), report.machine.cores, report.settings.threads,
              report.bandwidth.one_thread / 1e9, report.bandwidth.all / 1e9,
              report.settings.threads);
  std::printf("query     min ms   median    first  compile   of floor   rows\n");
  double log_sum = 0;
  for (const auto& query : report.queries) {
    std::printf("%-6s %9.2f %8.2f %8.2f %8.2f %8.0f %% %6zu\n", query.name.c_str(), query.min_ms,
                query.median_ms, query.first_ms, query.compile_ms,
                100 * FloorFraction(query, report.bandwidth.all), query.rows.size());
    log_sum += std::log(query.min_ms);
  }
  if (report.settings.mode == Mode::kGpu) PrintGpu(report);
  if (report.queries.empty()) return;
  std::printf("\ngeomean %8.2f\n", std::exp(log_sum / static_cast<double>(report.queries.size())));
  std::printf(
      "\nof floor: the time to read all of the query's columns once at that bandwidth, over min "
      "ms.\n"
      "Above 100 %%: rows were dropped before all columns were read, or columns lay in a cache.\n");
}

}  // namespace shadowvm::cli
