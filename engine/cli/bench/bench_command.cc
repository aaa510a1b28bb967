// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/bench_command.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "engine/cli/bench/bandwidth.h"
#include "engine/cli/bench/generated_files.h"
#include "engine/cli/bench/session.h"
#include "engine/cli/bench/ssb_queries.h"
#include "engine/cli/engine_options.h"
#include "engine/cli/number_range.h"
#include "engine/cli/pending_file.h"
#include "engine/cli/processor_options.h"
#include "engine/cli/ssb/scale.h"
#include "engine/schedule/trace_file.h"

namespace shadowvm::cli {
namespace {

constexpr const char* kExplanation =
    R"(Residency says where the tables are when the clock starts: 'host' keeps them in
memory as segments, 'file' keeps nothing between runs and reads the Parquet files every time;
with '--sf' these are made among the temporary files ($TMPDIR) and go in the end.
With '--mode gpu' or 'auto' there is 'device', and it is what is meant by default: segments are copied to the
GPU by the first run that reads them and stay there, as many as '--gpu-memory' allows; others
are read in place. With 'host' or 'file' none stays there: '--prefetch passive' has kernels read the
host's memory in place, which brings over the link what surviving rows need, and 'active1', 'active2'
and 'active4' copy all columns chunk by chunk, with so many copies and kernels overlapping.

Examples:
  shadowvm bench ssb --data data/ssb-sf1                        tables resident, 5 runs a query
  shadowvm bench ssb --sf 1 --threads 2                         generated in memory, no files needed
  shadowvm bench ssb --data data/ssb-sf10 --residency file      from the Parquet files every run
  shadowvm bench ssb --sf 1 --mode gpu --residency file         the same, of files made for it
  shadowvm bench ssb --data data/ssb-sf10 --memory 3G --json r.json
  shadowvm bench ssb --data data/ssb-sf1 --query q2.1 --runs 20
  shadowvm bench ssb --sf 20 --mode gpu --residency host --prefetch active2
  shadowvm bench ssb --sf 100 --mode gpu --gpu-memory 4G        more data than the GPU may hold
  shadowvm bench ssb --sf 20 --mode mixed --policy guided --trace run.svg
  shadowvm bench ssb --sf 0.01 --mode gpu --emulate-gpu         the GPU's kernels, without a GPU
  shadowvm bench ssb --sf 1 --node                              as a client of a node sees it
  shadowvm bench ssb --data data/ssb-sf1 --connect ADDRESS      the same, of a node that runs
  shadowvm bench ssb --sf 1 --mode gpu --coupled                the GPU opened and filled for each run)";

base::Result<BenchReport> Measure(QueryRunner* runner, const BenchSettings& settings) {
  BenchReport report;
  report.machine = DescribeMachine();
  report.settings = settings;
  SVM_ASSIGN_OR_RETURN(report.queries, RunQueries(runner, settings));
  if (settings.clients > 1) {
    SVM_ASSIGN_OR_RETURN(report.clients, RunClients(runner, settings.clients, report.queries));
  }
  SVM_ASSIGN_OR_RETURN(report.bandwidth, MeasureMachine(settings.threads));
  return report;
}

// A node that runs has its tables and its GPU as it was started.
void RefuseOptionsOfTheNode(const CLI::App& command) {
  for (const char* option : {"--memory", "--residency", "--prefetch", "--gpu-memory", "--gpu-tasks",
                             kGpuLimitOption, "--emulate-gpu", "--keep-builds"}) {
    if (!IsGiven(command, option)) continue;
    throw CLI::ValidationError(std::string(option) +
                               " goes without --connect: start the node as it is to be");
  }
}

// What the parser cannot see by itself.
void CheckUsage(const CLI::App& command, const BenchSettings& settings) {
  if (settings.data.empty() == (settings.scale_factor == 0)) {
    throw CLI::ValidationError("give either --data DIR or --sf N");
  }
  if (!settings.connect.empty() && settings.data.empty()) {
    throw CLI::ValidationError("--connect needs files that the node can read: give --data DIR");
  }
  if (!settings.connect.empty() && settings.own_node) {
    throw CLI::ValidationError("give either --connect ADDRESS or --node");
  }
  if (settings.coupled && settings.own_node) {
    throw CLI::ValidationError("give either --coupled or --node: a node keeps its GPU open");
  }
  if (!settings.connect.empty()) RefuseOptionsOfTheNode(command);
  const bool asks_a_node = !settings.connect.empty() || settings.own_node;
  if (asks_a_node && (IsGiven(command, "--policy") || IsGiven(command, "--trace"))) {
    throw CLI::ValidationError("--policy and --trace go without --connect and --node");
  }
  if (settings.coupled && settings.residency == Residency::kFile) {
    throw CLI::ValidationError("--residency file goes without --coupled: its tables are in memory");
  }
  if (settings.coupled && (settings.mode != Mode::kGpu || settings.scale_factor == 0)) {
    throw CLI::ValidationError("--coupled goes with --mode gpu and --sf N");
  }
  CheckProcessorOptions(command, settings);
}

// How rows are worked on. What options exclude is seen when all are known.
void AddRunOptions(CLI::App* ssb, BenchSettings* settings) {
  AddProcessorOptions(ssb, settings);
  ssb->add_flag("--keep-builds", settings->keep_builds,
                "Keep build sides of generated tables for the next run, as those of files are");
}

void AddOptions(CLI::App* ssb, BenchSettings* settings) {
  ssb->add_option("--data", settings->data,
                  "Folder with lineorder.parquet and the four other tables");
  ssb->add_option("--sf", settings->scale_factor, "Generate this scale factor instead")
      ->check(NumberIn(ssb::kMinFactor, ssb::kMaxFactor));
  AddEngineOptions(ssb, &settings->threads, &settings->memory_bytes);
  ssb->add_option("--runs", settings->runs, "Runs of each query")
      ->check(WholeNumberIn(1, 100000))
      ->capture_default_str();
  ssb->add_option("--clients", settings->clients,
                  "So many clients then ask all queries, one after another and at the same time")
      ->check(WholeNumberIn(1, 1000))
      ->capture_default_str();
  AddRunOptions(ssb, settings);
  AddTraceOption(ssb, &settings->trace_file);
  ssb->add_option("--connect", settings->connect, "Ask the node at this address");
  ssb->add_flag("--node", settings->own_node, "Ask a node of this process, over its socket");
  ssb->add_flag("--coupled", settings->coupled,
                "With --mode gpu: open the GPU, convert and copy tables for every run");
  ssb->add_option("--query", settings->queries, "Only these queries, such as q2.1")
      ->check(CLI::IsMember(SsbQueryNames()));
  ssb->add_option("--json", settings->json_file,
                  "Also write the report, answers included, to this file");
  ssb->add_flag(
      "--interactive", settings->interactive,
      "Answer queries named on standard input, a line of JSON each, instead of measuring");
}

}  // namespace

base::Result<BenchSettings> RunSettings(const BenchSettings& tables, const std::string& options) {
  BenchSettings settings;
  settings.data = tables.data;
  settings.scale_factor = tables.scale_factor;
  settings.threads = tables.threads;
  settings.memory_bytes = tables.memory_bytes;
  CLI::App parser;
  AddRunOptions(&parser, &settings);
  try {
    parser.parse(options);
    CheckUsage(parser, settings);
  } catch (const CLI::ParseError& error) {
    return base::MakeError(base::ErrorCode::kBadCommand, "settings: " + std::string(error.what()));
  }
  return settings;
}

base::Status BenchSsb(const BenchSettings& settings, const RunnerFactory& make_runner) {
  for (const std::string& file : {settings.json_file, settings.trace_file}) {
    if (!file.empty()) SVM_RETURN_NOT_OK(CheckWritable(file));
  }
  std::unique_ptr<GeneratedFiles> files;  // outlives the runner
  BenchSettings tables = settings;
  if (settings.data.empty() && settings.residency == Residency::kFile) {
    SVM_ASSIGN_OR_RETURN(files, GeneratedFiles::Make(settings));
    tables.data = files->folder();
  }
  SVM_ASSIGN_OR_RETURN(const auto runner, make_runner(tables));
  if (settings.interactive) return ServeQueries(runner.get(), settings, std::cin, std::cout);
  SVM_ASSIGN_OR_RETURN(const BenchReport report, Measure(runner.get(), settings));
  PrintReport(report);
  if (!settings.trace_file.empty()) {
    std::vector<schedule::QueryTrace> traces;
    for (const QueryReport& query : report.queries) {
      traces.insert(traces.end(), query.fastest.traces.begin(), query.fastest.traces.end());
    }
    SVM_RETURN_NOT_OK(WriteTextFile(settings.trace_file, TraceText(traces, settings.trace_file)));
  }
  if (settings.json_file.empty()) return base::Status::OK();
  return WriteTextFile(settings.json_file, ToJson(report).dump(1) + "\n");
}

void AddBenchCommand(CLI::App* app, RunnerFactory make_runner, base::Status* status) {
  auto settings = std::make_shared<BenchSettings>();
  CLI::App* bench = app->add_subcommand("bench", "Run a benchmark");
  bench->require_subcommand(1);
  CLI::App* ssb = bench->add_subcommand(
      "ssb", "Answer the 13 queries of the Star Schema Benchmark and report their times");
  ssb->footer(kExplanation);
  AddOptions(ssb, settings.get());
  ssb->callback([ssb, settings, make_runner = std::move(make_runner), status] {
    CheckUsage(*ssb, *settings);
    *status = BenchSsb(*settings, make_runner);
  });
}

}  // namespace shadowvm::cli
