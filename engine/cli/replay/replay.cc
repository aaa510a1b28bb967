// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/replay/replay.h"

#include <chrono>

#include "engine/cli/engine_options.h"
#include "engine/cli/replay/answer_file.h"
#include "engine/cli/replay/command_file.h"
#include "engine/exec/run_trace.h"

namespace shadowvm::cli {
namespace {

namespace fs = std::filesystem;

// What a command does is to be seen the first time it runs, so kernels are waited for.
exec::RunOptions OptionsOf(const ReplaySettings& settings, exec::QueryStats* stats) {
  exec::RunOptions options;
  options.stats = stats;
  options.mode = settings.mode;
  options.policy = settings.policy;
  options.partitions = settings.partitions;
  options.wait_for_gpu = true;
  options.trace = !settings.trace_file.empty();
  options.just_planned = true;
  return options;
}

// One run of a serialized command, which a node would remember too; the answer is given back.
base::Result<std::shared_ptr<arrow::Table>> RunOnce(exec::Engine* engine,
                                                    const ReplaySettings& settings,
                                                    const std::string& command, Replay* replay) {
  exec::QueryStats stats;
  const auto start = std::chrono::steady_clock::now();
  SVM_ASSIGN_OR_RETURN(const auto plan, engine->Plan(command, &stats.spans));
  SVM_ASSIGN_OR_RETURN(auto answer, engine->Run(plan.get(), OptionsOf(settings, &stats)));
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  replay->total_ms = elapsed.count();
  for (int stage = 0; stage < base::kNumStages; ++stage) {
    replay->stage_ms[stage] = stats.spans.Milliseconds(static_cast<base::Stage>(stage));
  }
  replay->bytes_read = stats.bytes_read.load();
  replay->rows = stats.rows;
  replay->gpu = GpuTimesOf(stats);
  replay->gpu_misses.Add(WhyNotGpu(stats, settings.mode, &engine->gpu_keeper()));
  replay->pipelines = PipelinesOf(stats);
  replay->sorts = std::move(stats.sorts);
  replay->fills = std::move(stats.fills);
  replay->traces = exec::TakeTraces(fs::path(replay->file).filename(), &stats);
  SVM_ASSIGN_OR_RETURN(replay->digest, DigestOf(*answer));
  return answer;
}

base::Status Run(exec::Engine* engine, const ReplaySettings& settings, const fs::path& out,
                 Replay* replay) {
  SVM_ASSIGN_OR_RETURN(v1::Command command, ReadCommandFile(replay->file));
  if (!settings.data_root.empty()) ReadFrom(settings.data_root, &command);
  const std::string bytes = command.SerializeAsString();
  SVM_ASSIGN_OR_RETURN(const auto answer, RunOnce(engine, settings, bytes, replay));
  replay->first_ms = replay->total_ms;
  const uint64_t digest = replay->digest.unordered;
  bool agree = true;
  GpuMisses misses = replay->gpu_misses;
  for (int run = 1; run < settings.runs; ++run) {
    Replay again = *replay;
    again.gpu_misses = {};
    SVM_RETURN_NOT_OK(RunOnce(engine, settings, bytes, &again).status());
    agree = agree && again.digest.unordered == digest;
    misses.Add(again.gpu_misses);
    if (run == 1 || again.total_ms < replay->total_ms) *replay = std::move(again);
  }
  replay->runs_agree = agree;
  replay->gpu_misses = misses;
  return out.empty() ? base::Status::OK() : WriteAnswerFile(*answer, out);
}

// One answer goes where 'out' says; several go into it as a folder, named after their commands.
fs::path AnswerPath(const ReplaySettings& settings, const std::string& file) {
  if (settings.out.empty() || settings.files.size() == 1) return settings.out;
  return fs::path(settings.out) / fs::path(file).filename().replace_extension(".arrow");
}

base::Status MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return base::Status::OK();
  return base::MakeError(base::ErrorCode::kWriteFailed, folder.string() + ": " + error.message());
}

}  // namespace

Replay RunCommandFile(exec::Engine* engine, const ReplaySettings& settings, const std::string& file,
                      const fs::path& out) {
  Replay replay;
  replay.file = file;
  replay.status = Run(engine, settings, out, &replay);
  return replay;
}

base::Result<std::vector<Replay>> RunCommandFiles(const ReplaySettings& settings) {
  exec::EngineOptions options;
  options.threads = settings.threads;
  options.memory_bytes = settings.memory_bytes;
  options.keep_tables = settings.residency != Residency::kFile;
  options.gpu = GpuOptionsOf(settings);
  // Who emulates a card wants to see what it can do, not what is worth it.
  if (settings.emulate_gpu) {
    options.gpu.least_build_rows = 0;
    options.gpu.least_sort_rows = 0;
    options.gpu.least_fill_rows = 0;
    // It makes no tables of build sides that are kept.
    options.keep_builds =
        settings.mode == schedule::Mode::kCpu || settings.mode == schedule::Mode::kMixed;
  }
  SVM_ASSIGN_OR_RETURN(const auto engine, exec::Engine::Make(std::move(options)));
  if (settings.files.size() > 1 && !settings.out.empty()) {
    SVM_RETURN_NOT_OK(MakeFolder(settings.out));
  }
  std::vector<Replay> replays;
  for (const std::string& file : settings.files) {
    replays.push_back(RunCommandFile(engine.get(), settings, file, AnswerPath(settings, file)));
  }
  WarnOfKernelsNotKept(engine->kernels().stats());
  return replays;
}

}  // namespace shadowvm::cli
