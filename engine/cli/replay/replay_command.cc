// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/replay/replay_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/cli/engine_options.h"
#include "engine/cli/number_range.h"
#include "engine/cli/pending_file.h"
#include "engine/cli/replay/replay.h"
#include "engine/cli/replay/replay_report.h"
#include "engine/schedule/trace_file.h"

namespace shadowvm::cli {
namespace {

constexpr const char* kExplanation =
    R"(A command is a whole query as the wire carries it: proto/shadowvm/v1/command.proto. A file
whose name ends in .json holds protobuf's JSON form, any other its binary form.

Times of stages are added up over threads; the time after the rows is by the clock. The digest
is the same for the same rows in any order; 'in order' changes with the order too. With a mode other
than cpu a line for each pipeline with a kernel says where it ran, the predicted and the real time,
and why there.

A command to try, as count.json:
  {"protocolVersion": 1, "root": 2, "actions": [
    {"id": 1, "scan": {"files": {"paths": ["lineorder.parquet"]}}},
    {"id": 2, "inputs": [1], "aggregate": {"aggregates": [
      {"function": "AGGREGATE_FUNCTION_COUNT_ALL", "name": "rows"}]}}]}

Examples:
  shadowvm replay count.json --data-root data/ssb-sf1
  shadowvm replay count.json --data-root data/ssb-sf1 --out answer.arrow
  shadowvm replay count.json --data-root data/ssb-sf1 --mode auto --runs 5
  shadowvm replay count.json --data-root data/ssb-sf1 --mode gpu --residency host --prefetch active2
  shadowvm replay count.json --data-root data/ssb-sf1 --mode mixed --trace run.svg
  shadowvm replay a.pb b.pb c.pb --out answers --json report.json --threads 1 --memory 2G)";

void AddOptions(CLI::App* replay, ReplaySettings* settings) {
  replay->add_option("files", settings->files, "Files of commands, run in this order")
      ->required()
      ->type_name("FILE");
  replay->add_option("--data-root", settings->data_root,
                     "Folder that relative paths of scans start from");
  replay->add_option(
      "--out", settings->out,
      "Write the answer to this Arrow IPC file (several commands: into this folder)");
  replay->add_option("--json", settings->json_file, "Also write the report to this file");
  replay
      ->add_option("--runs", settings->runs,
                   "Runs of each command; the fastest after the first is told")
      ->check(WholeNumberIn(1, 100000))
      ->capture_default_str();
  AddEngineOptions(replay, &settings->threads, &settings->memory_bytes);
  AddProcessorOptions(replay, settings);
  AddTraceOption(replay, &settings->trace_file);
  replay
      ->add_option("--partitions", settings->partitions,
                   "Cut each pipeline's rows into so many partitions, as far as they go")
      ->check(WholeNumberIn(1, 1'000'000'000));
}

// Prints what became of each command. The first error is the outcome; later ones are said here.
base::Status Report(const std::vector<Replay>& replays) {
  base::Status first;
  for (const Replay& replay : replays) {
    if (replay.status.ok()) {
      std::fputs(ToText(replay).c_str(), stdout);
    } else if (first.ok()) {
      first = replay.status.WithMessage(replay.file + ": " + FirstLine(replay.status.message()));
    } else {
      std::fprintf(stderr, "shadowvm: %s", ToText(replay).c_str());
    }
  }
  return first;
}

// Errors may quote bytes of binary constants, which are no UTF-8.
std::string Dump(const nlohmann::ordered_json& report) {
  return report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

base::Status WriteTraces(const std::string& file, const std::vector<Replay>& replays) {
  std::vector<schedule::QueryTrace> traces;
  for (const Replay& replay : replays) {
    traces.insert(traces.end(), replay.traces.begin(), replay.traces.end());
  }
  return WriteTextFile(file, schedule::TraceText(traces, file));
}

base::Status RunReplay(const ReplaySettings& settings) {
  for (const std::string& file : {settings.json_file, settings.trace_file}) {
    if (!file.empty()) SVM_RETURN_NOT_OK(CheckWritable(file));
  }
  SVM_ASSIGN_OR_RETURN(const std::vector<Replay> replays, RunCommandFiles(settings));
  if (!settings.json_file.empty()) {
    SVM_RETURN_NOT_OK(WriteTextFile(settings.json_file, Dump(ToJson(settings, replays))));
  }
  if (!settings.trace_file.empty()) {
    SVM_RETURN_NOT_OK(WriteTraces(settings.trace_file, replays));
  }
  return Report(replays);
}

}  // namespace

void AddReplayCommand(CLI::App* app, base::Status* status) {
  auto settings = std::make_shared<ReplaySettings>();
  CLI::App* replay = app->add_subcommand(
      "replay", "Run commands from files: times of each stage, rows, and a digest of the answer");
  replay->footer(kExplanation);
  AddOptions(replay, settings.get());
  replay->callback([replay, settings, status] {
    CheckProcessorOptions(*replay, *settings);
    *status = RunReplay(*settings);
  });
}

}  // namespace shadowvm::cli
