// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/program.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "engine/base/status.h"
#include "engine/cli/bench/bench_command.h"
#include "engine/cli/bench/engine_runner.h"
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

Every command explains itself: shadowvm gen ssb --help)";

}  // namespace

int RunProgram(int argc, char** argv) {
  CLI::App app("ShadowVM: analytic queries answered by generated kernels.", "shadowvm");
  app.footer(kStart);
  app.require_subcommand(1);
  app.set_version_flag("--version", SHADOWVM_VERSION);
  base::Status status;
  AddGenCommand(&app, &status);
  AddBenchCommand(&app, MakeEngineRunner, &status);
  AddNodeCommand(&app, &status);
  AddReplayCommand(&app, &status);
  AddDoctorCommand(&app, &status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // how CLI11 reports a wrong command line, and --help
    return app.exit(error);
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "shadowvm: %s\n", status.message().c_str());
  return 1;
}

}  // namespace shadowvm::cli
