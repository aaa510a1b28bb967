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

// Has settings.clients clients ask every query, first one after another, then at the same time. An
// answer that differs from the report's is an error.
base::Result<ClientsReport> RunClients(QueryRunner* runner, const BenchSettings& settings,
                                       const std::vector<QueryReport>& reports);

// Serves requests until the input ends, so that another engine can be measured in turn with this
// one. A line is
//   q1.1                                  a query as specified
//   q1.1 {"year": 1995, "quantity": 10}   with other constants
//   footprint lineorder lo_discount …     the memory of columns
//   machine                               the machine, its read bandwidth measured now
// and is answered by one line of JSON: {"name", "ms", "compile_ms", "compiles", "bytes", "rows"},
// {"bytes", "plain_bytes"}, or {"error"}.
base::Status ServeQueries(QueryRunner* runner, int threads, std::istream& input,
                          std::ostream& output);

}  // namespace shadowvm::cli
