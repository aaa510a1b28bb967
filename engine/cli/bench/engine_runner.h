// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <map>
#include <memory>
#include <string>

#include "engine/cli/bench/query_runner.h"
#include "engine/exec/engine.h"

namespace shadowvm::cli {

// The benchmark's queries on an engine in this process: over the Parquet files of a folder, or over
// data generated in memory.
base::Result<std::unique_ptr<QueryRunner>> MakeEngineRunner(const BenchSettings& settings);

// What it is made of, for runners that ask in other ways.
using NamedTables = std::map<std::string, std::shared_ptr<arrow::Table>>;
// The columns that queries read.
base::Result<NamedTables> GenerateTables(const BenchSettings& settings);
exec::EngineOptions EngineOptionsOf(const BenchSettings& settings);
// With its tables, generated or brought into memory as the settings say.
base::Result<std::unique_ptr<exec::Engine>> MakeBenchEngine(const BenchSettings& settings);
// Where a run's time went, and what its kernels read.
void AddStats(const exec::QueryStats& stats, QueryRun* run);

}  // namespace shadowvm::cli
