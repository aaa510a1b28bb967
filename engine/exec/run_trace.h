// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/exec/query_context.h"
#include "engine/schedule/query_trace.h"

namespace shadowvm::exec {

// The traces of a run that kept them (RunOptions::trace), one for each pipeline that was split
// between cores and a GPU, under the query's name. They are moved out of 'stats'.
std::vector<schedule::QueryTrace> TakeTraces(const std::string& query, QueryStats* stats);

}  // namespace shadowvm::exec
