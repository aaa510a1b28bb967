// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/run_trace.h"

#include <utility>

namespace shadowvm::exec {

std::vector<schedule::QueryTrace> TakeTraces(const std::string& query, QueryStats* stats) {
  std::vector<schedule::QueryTrace> traces;
  for (PipelineDevices& pipeline : stats->devices) {
    if (!pipeline.trace.events.empty()) traces.push_back({query, std::move(pipeline.trace)});
  }
  return traces;
}

}  // namespace shadowvm::exec
