// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/program.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "engine/base/status.h"
#include "engine/cli/bench/bench_command.h"
#include "engine/cli/bench/coupled_runner.h"
#include "engine/cli/bench/engine_runner.h"
#include "engine/cli/bench/node_runner.h"
#include "engine/cli/doctor/doctor_command.h"
#include "engine/cli/node/node_command.h"
#include "engine/cli/replay/replay_command.h"
#include "engine/cli/ssb/gen_command.h"

namespace shadowvm::cli {
namespace {

constexpr const char* kStart = R"(Start here:
  shadowvm doctor                                  what this machine has, and what is missing
  shadowvm gen ssb --sf 1 --out data/ssb-sf1       make benchmark data
  shadowvm bench ssb --data data/ssb-sf1           answer the 13 queries of the Star Schema Benchmark

Every command explains itself: shadowvm gen ssb --help

Compiled kernels are kept in $SHADOWVM_CACHE_DIR, else in ~/.cache/shadowvm/kernels.)";

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// What was asked for as far as it was understood: "shadowvm gen ssb".
std::string Asked(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + Asked(*chosen.front());
}

// A word nobody knows says more than what is missing instead of it.
std::string Complaint(const CLI::App& app, const CLI::ParseError& error) {
  const auto unknown = app.remaining(/*recurse=*/true);
  const bool missing = error.get_name() == "RequiredError";
  return missing && !unknown.empty() ? "'" + unknown.front() + "' is not known here" : error.what();
}

// --help and --version come this way as well; they are no errors.
int Explain(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::fprintf(stderr, "shadowvm: %s (see %s --help)\n", Complaint(app, error).c_str(),
               Asked(app).c_str());
  return kWrongUsage;
}

base::Result<std::unique_ptr<QueryRunner>> MakeRunner(const BenchSettings& settings) {
  if (settings.own_node || !settings.connect.empty()) return MakeNodeRunner(settings);
  return settings.coupled ? MakeCoupledRunner(settings) : MakeEngineRunner(settings);
}

}  // namespace

int RunProgram(int argc, char** argv) {
  CLI::App app("ShadowVM: analytic queries answered by generated kernels.", "shadowvm");
  app.footer(kStart);
  app.require_subcommand(1);
  app.set_version_flag("--version", SHADOWVM_VERSION);
  base::Status status;
  AddGenCommand(&app, &status);
  AddBenchCommand(&app, MakeRunner, &status);
  AddNodeCommand(&app, &status);
  AddReplayCommand(&app, &status);
  AddDoctorCommand(&app, &status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // how CLI11 reports a wrong command line, and --help
    return Explain(app, error);
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "shadowvm: %s\n", status.message().c_str());
  return kFailed;
}

}  // namespace shadowvm::cli
