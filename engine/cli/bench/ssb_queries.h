// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/client/frame.h"

namespace shadowvm::cli {

// The five tables a query starts from.
struct SsbTables {
  client::Frame lineorder;
  client::Frame customer;
  client::Frame supplier;
  client::Frame part;
  client::Frame date;
};

// The Parquet files of a folder, and tables registered with the engine under these names.
SsbTables TablesInFolder(const std::string& folder);
SsbTables RegisteredTables();

// "q1.1" … "q4.3", in the benchmark's order.
const std::vector<std::string>& SsbQueryNames();

// A query of the specification, columns in the order of its SELECT, rows in the order of its ORDER
// BY. The first of each flight takes other constants by name (bench/ssb_queries.py names them).
// kBadCommand if there is no such query or constant.
base::Result<client::Frame> MakeSsbQuery(const std::string& name, const SsbTables& tables,
                                         const nlohmann::json& constants);

}  // namespace shadowvm::cli
