// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/cli/bench/query_runner.h"

namespace shadowvm::cli {

// The benchmark's queries on an engine in this process: over the Parquet files of a folder, or over
// data generated in memory.
base::Result<std::unique_ptr<QueryRunner>> MakeEngineRunner(const BenchSettings& settings);

}  // namespace shadowvm::cli
