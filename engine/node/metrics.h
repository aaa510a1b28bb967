// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/exec/engine.h"
#include "engine/node/query.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {

// What a query did so far.
v1::QueryMetrics MetricsOf(const Query& query);

// Puts what the engine counts into a status.
void AddEngineState(exec::Engine* engine, v1::StatusResponse* status);

}  // namespace shadowvm::node
