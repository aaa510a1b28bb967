// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <iosfwd>

#include "engine/base/status.h"
#include "engine/cli/bench/query_runner.h"
#include "engine/cli/bench/report.h"

namespace shadowvm::cli {

// Asks every query settings.runs times and sums up. An answer that changes from run to run is an
// error.
base::Result<std::vector<QueryReport>> RunQueries(QueryRunner* runner,
                                                  const BenchSettings& settings);

// One of them, so many times.
base::Result<QueryReport> MeasureQuery(QueryRunner* runner, const std::string& name, int runs);

// Has so many clients ask every query, first one after another, then at the same time. An
// answer that differs from the report's is an error.
base::Result<ClientsReport> RunClients(QueryRunner* runner, int clients,
                                       const std::vector<QueryReport>& reports);

// clang-format off
// Serves requests until the input ends, so that another engine can be measured in turn with this
// one. A line is
//   q1.1                                  a query as specified
//   q1.1 {"year": 1995, "quantity": 10}   with other constants
//   footprint lineorder lo_discount …     the memory of columns
//   machine                               the machine, its read bandwidth measured now
//   settings --mode gpu --residency host  options of the command line for what follows (RunSettings)
//   measure q1.1 15                       so many runs of a query, summed up as in a report
//   clients 8                             so many clients ask all queries (RunClients)
//   sectors q1.1                          what a query has to read, counted (SectorCount)
//   kernels                               what became of the GPU's kernels so far
// and is answered by one line of JSON: {"name", "ms", "compile_ms", "compiles", "bytes", "rows"},
// {"bytes", "plain_bytes"}, …, or {"error"}.
// clang-format on
base::Status ServeQueries(QueryRunner* runner, const BenchSettings& settings, std::istream& input,
                          std::ostream& output);

}  // namespace shadowvm::cli
