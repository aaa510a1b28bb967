// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "engine/base/status.h"

namespace shadowvm::storage {

struct SinkOptions {
  enum class Compression { kNone, kSnappy, kZstd };
  Compression compression = Compression::kSnappy;
  bool dictionary = true;
  int64_t row_group_rows = int64_t{1} << 20;  // one segment
};

// Writes record batches to a Parquet file. The file appears under its name whole, at Finish, or not
// at all: it is written beside it under a temporary name, which is removed on failure and when the
// sink is dropped unfinished.
class ParquetSink {
 public:
  // kWriteFailed naming the file.
  static base::Result<std::unique_ptr<ParquetSink>> Open(const std::string& path,
                                                         std::shared_ptr<arrow::Schema> schema,
                                                         const SinkOptions& options);
  ~ParquetSink();
  ParquetSink(const ParquetSink&) = delete;
  ParquetSink& operator=(const ParquetSink&) = delete;

  base::Status Write(const arrow::RecordBatch& batch);
  base::Status Write(const arrow::Table& table);
  // Closes, makes durable and renames. Nothing may be written after it.
  base::Status Finish();

 private:
  struct Writer;
  explicit ParquetSink(std::unique_ptr<Writer> writer);

  std::unique_ptr<Writer> writer_;
};

}  // namespace shadowvm::storage
