// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <parquet/schema.h>
#include <parquet/types.h>

#include <cstdint>

#include "engine/base/status.h"
#include "engine/storage/value_writer.h"

namespace shadowvm::storage {

// Encodings that are seldom met (delta, byte stream split, run-length booleans): Arrow's decoders
// bring the values into a scratch buffer, from where they are written as plain ones. kCorruptFile;
// kUnsupported naming the encoding.
base::Status DecodeRareEncoding(parquet::Encoding::type encoding,
                                const parquet::ColumnDescriptor& column, const uint8_t* data,
                                int64_t size, int64_t count, ValueWriter* writer, uint8_t* out);

}  // namespace shadowvm::storage
