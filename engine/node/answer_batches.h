// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/record_batch.h>
#include <arrow/table.h>

#include <cstdint>

#include "engine/base/status.h"

namespace shadowvm::node {

// An answer cut for the way to its reader, at least one batch: of at most 64 Ki rows and about 16
// MiB, so that a reader can begin early, holds little at a time and no message comes near a limit.
// A row of more bytes than that is a batch of its own.
base::Result<arrow::RecordBatchVector> BatchesOf(const arrow::Table& table);

// What a batch takes in an Arrow IPC stream.
base::Result<int64_t> StreamBytes(const arrow::RecordBatch& batch);

// Batches as one Arrow IPC stream.
base::Status WriteStream(const arrow::RecordBatchVector& batches, arrow::io::OutputStream* out);

}  // namespace shadowvm::node
