// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/replay/replay_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/cli/engine_options.h"
#include "engine/cli/pending_file.h"
#include "engine/cli/replay/replay.h"
#include "engine/cli/replay/replay_report.h"

namespace shadowvm::cli {
namespace {

constexpr const char* kExplanation =
    R"(A command is a whole query as the wire carries it: proto/shadowvm/v1/command.proto. A file
whose name ends in .json holds protobuf's JSON form, any other its binary form.

Times of stages are added up over threads; the time after the rows is by the clock. The digest
is the same for the same rows in any order; 'in order' changes with the order too.

A command to try, as count.json:
  {"protocolVersion": 1, "root": 2, "actions": [
    {"id": 1, "scan": {"files": {"paths": ["lineorder.parquet"]}}},
    {"id": 2, "inputs": [1], "aggregate": {"aggregates": [
      {"function": "AGGREGATE_FUNCTION_COUNT_ALL", "name": "rows"}]}}]}

Examples:
  shadowvm replay count.json --data-root data/ssb-sf1
  shadowvm replay count.json --data-root data/ssb-sf1 --out answer.arrow
  shadowvm replay count.json --data-root data/ssb-sf1 --mode gpu
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
  AddEngineOptions(replay, &settings->threads, &settings->memory_bytes);
  replay
      ->add_option_function<std::string>(
          "--mode",
          [settings](const std::string& word) {
            settings->mode = schedule::ParseMode(word).value();
          },
          "What works on the rows (default: cpu)")
      ->check(CLI::IsMember({"cpu", "gpu", "mixed", "auto"}));
  AddPolicyOption(replay, &settings->policy);
  replay
      ->add_option("--partitions", settings->partitions,
                   "Cut each pipeline's rows into so many partitions, as far as they go")
      ->check(CLI::PositiveNumber);
  replay->add_flag("--emulate-gpu", settings->emulate_gpu,
                   "With --mode gpu, mixed or auto: emulate the card, very slowly");
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

base::Status RunReplay(const ReplaySettings& settings) {
  if (!settings.json_file.empty()) SVM_RETURN_NOT_OK(CheckWritable(settings.json_file));
  SVM_ASSIGN_OR_RETURN(const std::vector<Replay> replays, RunCommandFiles(settings));
  if (!settings.json_file.empty()) {
    SVM_RETURN_NOT_OK(WriteTextFile(settings.json_file, Dump(ToJson(replays))));
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
  replay->callback([settings, status] {
    if (settings->emulate_gpu && settings->mode == schedule::Mode::kCpu) {
      throw CLI::ValidationError("--emulate-gpu goes with --mode gpu, mixed or auto");
    }
    *status = RunReplay(*settings);
  });
}

}  // namespace shadowvm::cli
