// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string_view>

#include "engine/exec/engine.h"
#include "engine/node/query.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {

// What a query did so far, all of it on one device.
v1::QueryMetrics MetricsOf(const Query& query, std::string_view device);

// Puts what the engine counts into a status.
void AddEngineState(exec::Engine* engine, v1::StatusResponse* status);

}  // namespace shadowvm::node
