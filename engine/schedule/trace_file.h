// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/schedule/query_trace.h"

namespace shadowvm::schedule {

// In the format of Chrome's tracing, which Perfetto and others read as well: a process for each
// trace, a thread for each lane.
nlohmann::ordered_json ToChromeTrace(const std::vector<QueryTrace>& traces);

// As a drawing: time to the right, a line for each lane, what was done twice in another colour.
std::string ToSvg(const std::vector<QueryTrace>& traces);

// As a drawing when the path ends in .svg, else in Chrome's format.
std::string TraceText(const std::vector<QueryTrace>& traces, const std::string& path);

}  // namespace shadowvm::schedule
