// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/base/status.h"
#include "engine/cli/bench/query_runner.h"

namespace CLI {
class App;
}

namespace shadowvm::cli {

// Settings for runs over the tables that are there, from options of `shadowvm bench ssb` that say
// how rows are worked on; what they do not name is as by default.
base::Result<BenchSettings> RunSettings(const BenchSettings& tables, const std::string& options);

// Runs the benchmark and prints a table, or writes JSON, or serves queries, as the settings say.
base::Status BenchSsb(const BenchSettings& settings, const RunnerFactory& make_runner);

// `shadowvm bench ssb`. When it was called, its outcome is in *status after parsing.
void AddBenchCommand(CLI::App* app, RunnerFactory make_runner, base::Status* status);

}  // namespace shadowvm::cli
