// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/cli/byte_size.h"

namespace shadowvm::cli {

namespace {

// Where the time of one run went. What is missing from the total is the engine's own.
nlohmann::ordered_json SplitOf(const QueryRun& run) {
  if (!run.is_split) return {{"total_ms", run.total_ms}};
  return {{"total_ms", run.total_ms},   {"plan_ms", run.plan_ms},
          {"render_ms", run.render_ms}, {"compile_ms", run.compile_ms},
          {"scan_ms", run.scan_ms},     {"cpu_kernel_ms", run.cpu_kernel_ms},
          {"copy_ms", run.copy_ms},     {"gpu_kernel_ms", run.gpu_ms},
          {"merge_ms", run.merge_ms}};
}

// How much of a run the GPU works.
double GpuShare(const QueryReport& query) {
  return query.median_ms > 0 ? query.gpu_median_ms / query.median_ms : 0;
}

// A node's client does not see kernels.
bool SeesKernels(const BenchSettings& settings) {
  return settings.mode != Mode::kCpu && settings.connect.empty() && !settings.own_node;
}

// Of the rows that kernels read, and of the partitions of pipelines that were split.
struct DeviceSums {
  int64_t cpu_rows = 0, gpu_rows = 0, partitions = 0, again = 0;

  explicit DeviceSums(const QueryRun& run) {
    for (const PlacedPipeline& pipeline : run.pipelines) {
      cpu_rows += pipeline.cpu_rows;
      gpu_rows += pipeline.gpu_rows;
      partitions += pipeline.partitions;
      again += pipeline.partitions_again;
    }
  }
  double gpu_share() const {
    const int64_t rows = cpu_rows + gpu_rows;
    return rows == 0 ? 0 : static_cast<double>(gpu_rows) / static_cast<double>(rows);
  }
};

void AddDevices(const QueryRun& run, nlohmann::ordered_json* entry) {
  const DeviceSums sums(run);
  (*entry)["gpu_row_share"] = sums.gpu_share();
  (*entry)["partitions"] = sums.partitions;
  (*entry)["partitions_again"] = sums.again;
  (*entry)["pipelines"] = nlohmann::ordered_json::array();
  for (const PlacedPipeline& pipeline : run.pipelines) {
    (*entry)["pipelines"].push_back(ToJson(pipeline));
  }
}

// Of its kernels those of build sides: all but the last, which scans the fact table.
double BuildKernelMs(const QueryReport& query) {
  double sum = 0;
  for (size_t i = 0; i + 1 < query.gpu_kernels.size(); ++i) {
    sum += query.gpu_kernels[i].milliseconds;
  }
  return sum;
}

void AddKernels(const QueryReport& query, const BenchSettings& settings,
                nlohmann::ordered_json* entry) {
  (*entry)["gpu_kernel_min_ms"] = query.gpu_min_ms;
  (*entry)["gpu_kernel_median_ms"] = query.gpu_median_ms;
  (*entry)["gpu_kernels"] = nlohmann::ordered_json::array();
  for (const GpuKernel& kernel : query.gpu_kernels) {
    (*entry)["gpu_kernels"].push_back({{"title", kernel.title}, {"ms", kernel.milliseconds}});
  }
  (*entry)["build_kernel_ms"] = BuildKernelMs(query);
  (*entry)["gpu_share"] = GpuShare(query);
  (*entry)["overhead_us"] = query.overhead_us;
  (*entry)["link_bytes"] = query.fastest.link_bytes;
  (*entry)["link_bytes_are"] = LinkBytesAre(settings);
  (*entry)["device_bytes_estimated"] = query.fastest.device_bytes;
}

bool IsMissed(const QueryReport& query) { return query.gpu_misses.missed > 0; }

// Of the fastest run: its last pipeline is the one with the rows.
void PrintDevices(const BenchReport& report) {
  const auto is_placed = [](const QueryReport& query) { return !query.fastest.pipelines.empty(); };
  if (std::none_of(report.queries.begin(), report.queries.end(), is_placed)) return;
  std::printf(
      "\nof the fastest run: the GPU's rows, partitions begun twice, and the last pipeline\n");
  std::printf("query   on GPU    again  ran on  predicted ms  real ms  because\n");
  for (const auto& query : report.queries) {
    if (query.fastest.pipelines.empty()) continue;
    const DeviceSums sums(query.fastest);
    const PlacedPipeline& last = query.fastest.pipelines.back();
    std::printf("%-6s %5.1f %% %4lld/%-5lld %-6s %13.3f %8.3f  %s\n", query.name.c_str(),
                100 * sums.gpu_share(), static_cast<long long>(sums.again),
                static_cast<long long>(sums.partitions),
                std::string(schedule::NameOf(last.mode)).c_str(), last.predicted_ms, last.real_ms,
                last.reason.c_str());
  }
}

void PrintGpu(const BenchReport& report) {
  if (std::all_of(report.queries.begin(), report.queries.end(), IsMissed)) return;
  std::printf("\nkernels on the GPU, build sides included; of the fastest run: link bytes, %s\n",
              LinkBytesAre(report.settings));
  std::printf("query     min ms   median  builds ms  beside them us  share %%     link MB\n");
  for (const auto& query : report.queries) {
    if (IsMissed(query)) continue;  // told of below
    std::printf("%-6s %9.3f %8.3f %10.3f %15.0f %8.1f %11.1f\n", query.name.c_str(),
                query.gpu_min_ms, query.gpu_median_ms, BuildKernelMs(query), query.overhead_us,
                100 * GpuShare(query), static_cast<double>(query.fastest.link_bytes) / 1e6);
  }
}

// Times of these are not the GPU's.
void PrintMisses(const BenchReport& report) {
  const bool is_any = report.clients.gpu_misses.missed > 0 ||
                      std::any_of(report.queries.begin(), report.queries.end(), IsMissed);
  if (is_any) std::printf("\n");
  const auto print = [](const char* what, const GpuMisses& misses) {
    if (misses.missed > 0) std::printf("%-6s on the CPU %s\n", what, misses.ToText().c_str());
  };
  for (const QueryReport& query : report.queries) print(query.name.c_str(), query.gpu_misses);
  print("clients", report.clients.gpu_misses);
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
  json.update(ToJson(static_cast<const ProcessorSettings&>(settings)));
  if (settings.clients > 1) json["clients"] = settings.clients;
  if (!settings.connect.empty()) json["connect"] = settings.connect;
  if (settings.own_node) json["node"] = true;
  if (settings.coupled) json["coupled"] = true;
  if (settings.keep_builds) json["keep_builds"] = true;
  return json;
}

nlohmann::ordered_json ToJson(const QueryReport& query, const BenchSettings& settings) {
  nlohmann::ordered_json entry;
  entry["name"] = query.name;
  entry["first_ms"] = query.first_ms;
  entry["min_ms"] = query.min_ms;
  entry["median_ms"] = query.median_ms;
  if (query.fastest.is_split) {
    entry["compile_ms"] = query.compile_ms;
    entry["bytes"] = query.bytes;
  }
  entry["fastest"] = SplitOf(query.fastest);
  AddMisses(query.gpu_misses, &entry);
  if (SeesKernels(settings)) {
    AddDevices(query.fastest, &entry);
    AddKernels(query, settings, &entry);
    entry["partitions_of_all_runs"] = query.partitions;
    entry["partitions_again_of_all_runs"] = query.partitions_again;
  }
  entry["rows"] = query.rows;
  return entry;
}

nlohmann::ordered_json ToJson(const ClientsReport& clients) {
  nlohmann::ordered_json json = {{"clients", clients.clients},
                                 {"one_by_one_ms", clients.one_by_one_ms},
                                 {"at_the_same_time_ms", clients.at_the_same_time_ms}};
  AddMisses(clients.gpu_misses, &json);
  return json;
}

nlohmann::ordered_json ToJson(const BenchReport& report) {
  nlohmann::ordered_json json;
  json["machine"] = ToJson(report.machine, report.bandwidth);
  json["settings"] = ToJson(report.settings);
  json["queries"] = nlohmann::ordered_json::array();
  for (const auto& query : report.queries) {
    json["queries"].push_back(ToJson(query, report.settings));
    if (!query.fastest.is_split) continue;
    json["queries"].back()["floor_fraction"] = FloorFraction(query, report.bandwidth.all);
  }
  if (report.clients.clients > 0) json["clients"] = ToJson(report.clients);
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
    std::printf("%-6s %9.2f %8.2f %8.2f", query.name.c_str(), query.min_ms, query.median_ms,
                query.first_ms);
    if (query.fastest.is_split) {
      std::printf(" %8.2f %8.0f %%", query.compile_ms,
                  100 * FloorFraction(query, report.bandwidth.all));
    } else {
      std::printf(" %8s %10s", "-", "-");
    }
    std::printf(" %6zu\n", query.rows.size());
    log_sum += std::log(query.min_ms);
  }
  if (SeesKernels(report.settings)) {
    if (report.settings.mode == Mode::kGpu) {
      PrintGpu(report);
    } else {
      PrintDevices(report);
    }
  }
  if (report.clients.clients > 0) {
    std::printf("\n%d clients, each all queries once: %.2f ms one after another, %.2f together\n",
                report.clients.clients, report.clients.one_by_one_ms,
                report.clients.at_the_same_time_ms);
  }
  PrintMisses(report);
  if (report.queries.empty()) return;
  std::printf("\ngeomean %8.2f\n", std::exp(log_sum / static_cast<double>(report.queries.size())));
  std::printf(
      "\nof floor: the time to read all of the query's columns once at that bandwidth, over min "
      "ms.\n"
      "Above 100 %%: rows were dropped before all columns were read, or columns lay in a cache.\n");
}

}  // namespace shadowvm::cli
