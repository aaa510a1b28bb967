// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/bench_command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "engine/cli/bench/bandwidth.h"
#include "engine/cli/bench/session.h"
#include "engine/cli/byte_size.h"
#include "engine/cli/pending_file.h"
#include "engine/cli/ssb/scale.h"

namespace shadowvm::cli {
namespace {

constexpr const char* kExplanation =
    R"(Residency says where the tables are when the clock starts: 'host' keeps them in
memory as segments, 'file' keeps nothing between runs and reads the Parquet files every time.
With '--mode gpu' segments are copied to the GPU by the first run that reads them and stay there.

Examples:
  shadowvm bench ssb --data data/ssb-sf1                        tables resident, 5 runs a query
  shadowvm bench ssb --sf 1 --threads 2                         generated in memory, no files needed
  shadowvm bench ssb --data data/ssb-sf10 --residency file      from the Parquet files every run
  shadowvm bench ssb --data data/ssb-sf10 --memory 3G --json r.json
  shadowvm bench ssb --data data/ssb-sf1 --query q2.1 --runs 20
  shadowvm bench ssb --sf 0.01 --mode gpu --emulate-gpu         the GPU's kernels, without a GPU)";

void SetDefaults(BenchSettings* settings) {
  if (settings->threads == 0) settings->threads = NumUsableCores();
  if (settings->memory_bytes == 0) settings->memory_bytes = DescribeMachine().memory_bytes / 4 * 3;
}

base::Status CheckQueries(const QueryRunner& runner, const std::vector<std::string>& asked) {
  const auto known = runner.queries();
  for (const auto& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return base::MakeError(base::ErrorCode::kBadCommand,
                           "no query is called '" + name + "': they are q1.1 to q4.3");
  }
  return base::Status::OK();
}

base::Result<BenchReport> Measure(QueryRunner* runner, const BenchSettings& settings) {
  BenchReport report;
  report.machine = DescribeMachine();
  report.settings = settings;
  SVM_ASSIGN_OR_RETURN(report.queries, RunQueries(runner, settings));
  SVM_ASSIGN_OR_RETURN(report.bandwidth, MeasureMachine(settings.threads));
  return report;
}

// Checks what the parser cannot, and turns "3G" into bytes.
base::Result<BenchSettings> Complete(BenchSettings settings, const std::string& memory) {
  if (settings.data.empty() == (settings.scale_factor == 0)) {
    return base::MakeError(base::ErrorCode::kBadCommand, "give either --data DIR or --sf N");
  }
  if (settings.data.empty() && settings.residency == Residency::kFile) {
    return base::MakeError(base::ErrorCode::kBadCommand,
                           "--residency file needs files: give --data DIR");
  }
  if (settings.emulate_gpu && settings.mode != Mode::kGpu) {
    return base::MakeError(base::ErrorCode::kBadCommand, "--emulate-gpu goes with --mode gpu");
  }
  if (!memory.empty()) {
    SVM_ASSIGN_OR_RETURN(settings.memory_bytes, ParseBytes(memory));
  }
  return settings;
}

void AddOptions(CLI::App* ssb, BenchSettings* settings, std::string* memory) {
  ssb->add_option("--data", settings->data,
                  "Folder with lineorder.parquet and the four other tables");
  ssb->add_option("--sf", settings->scale_factor, "Generate this scale factor in memory instead")
      ->check(CLI::Range(ssb::kMinFactor, ssb::kMaxFactor));
  ssb->add_option("--threads", settings->threads, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  ssb->add_option("--runs", settings->runs, "Runs of each query")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  ssb->add_option("--memory", *memory,
                  "Memory budget, such as 3G (default: three quarters of the machine's)");
  ssb->add_option_function<std::string>(
         "--residency",
         [settings](const std::string& word) {
           settings->residency = word == "file" ? Residency::kFile : Residency::kHost;
         },
         "Where the tables are when the clock starts (default: host)")
      ->check(CLI::IsMember({"host", "file"}));
  ssb->add_option_function<std::string>(
         "--mode",
         [settings](const std::string& word) {
           settings->mode = word == "gpu" ? Mode::kGpu : Mode::kCpu;
         },
         "What works on the rows (default: cpu)")
      ->check(CLI::IsMember({"cpu", "gpu"}));
  ssb->add_flag("--emulate-gpu", settings->emulate_gpu,
                "With --mode gpu: emulate the card, very slowly");
  ssb->add_option("--query", settings->queries, "Only these queries, such as q2.1");
  ssb->add_option("--json", settings->json_file,
                  "Also write the report, answers included, to this file");
  ssb->add_flag(
      "--interactive", settings->interactive,
      "Answer queries named on standard input, a line of JSON each, instead of measuring");
}

}  // namespace

base::Status BenchSsb(BenchSettings settings, const RunnerFactory& make_runner) {
  SetDefaults(&settings);
  SVM_ASSIGN_OR_RETURN(const auto runner, make_runner(settings));
  if (settings.interactive)
    return ServeQueries(runner.get(), settings.threads, std::cin, std::cout);
  SVM_RETURN_NOT_OK(CheckQueries(*runner, settings.queries));
  SVM_ASSIGN_OR_RETURN(const BenchReport report, Measure(runner.get(), settings));
  PrintReport(report);
  if (settings.json_file.empty()) return base::Status::OK();
  return WriteTextFile(settings.json_file, ToJson(report).dump(1) + "\n");
}

void AddBenchCommand(CLI::App* app, RunnerFactory make_runner, base::Status* status) {
  auto settings = std::make_shared<BenchSettings>();
  auto memory = std::make_shared<std::string>();
  CLI::App* bench = app->add_subcommand("bench", "Run a benchmark");
  bench->require_subcommand(1);
  CLI::App* ssb = bench->add_subcommand(
      "ssb", "Answer the 13 queries of the Star Schema Benchmark and report their times");
  ssb->footer(kExplanation);
  AddOptions(ssb, settings.get(), memory.get());
  ssb->callback([settings, memory, make_runner = std::move(make_runner), status] {
    const auto complete = Complete(*settings, *memory);
    *status = complete.ok() ? BenchSsb(*complete, make_runner) : complete.status();
  });
}

}  // namespace shadowvm::cli
