// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

#include "engine/schedule/trace.h"

namespace shadowvm::schedule {

// A trace and the query it is of.
struct QueryTrace {
  std::string query;
  Trace trace;
};

}  // namespace shadowvm::schedule
