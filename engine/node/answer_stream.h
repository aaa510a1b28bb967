// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/flight/server.h>

#include <functional>
#include <memory>

#include "engine/base/status.h"
#include "engine/node/query.h"

namespace shadowvm::node {

// What the stream tells its owner.
struct StreamEvents {
  std::function<void()> on_batch;    // before each: the client is there
  std::function<void()> on_fetched;  // once all of the answer was sent
};

// The answer of a finished query, batch by batch, at least one. The last carries the query's
// metrics (v1::QueryMetrics) as its metadata.
base::Result<std::unique_ptr<arrow::flight::FlightDataStream>> StreamAnswer(
    std::shared_ptr<Query> query, StreamEvents events);

}  // namespace shadowvm::node
