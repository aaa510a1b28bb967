// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/flight/server.h>

#include <functional>
#include <memory>

#include "engine/base/status.h"
#include "engine/node/query.h"
#include "shadowvm/v1/node_service.pb.h"

namespace shadowvm::node {

// What the stream tells its owner.
struct StreamEvents {
  std::function<void()> on_batch;    // before each: the client is there
  std::function<void()> on_fetched;  // once all of the answer was sent
};

// The answer of a finished query, batch by batch, at least one. The last carries the metrics as its
// metadata.
base::Result<std::unique_ptr<arrow::flight::FlightDataStream>> StreamAnswer(
    std::shared_ptr<Query> query, const v1::QueryMetrics& metrics, StreamEvents events);

}  // namespace shadowvm::node
