// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/util/future.h>
#include <arrow/util/thread_pool.h>

#include <cstdint>
#include <deque>
#include <memory>

#include "engine/base/status.h"
#include "engine/cli/ssb/table_generator.h"

namespace shadowvm::cli::ssb {

// A table's batches in order, made ahead of the reader by a pool's threads. Memory is bounded: at
// most 'batches_ahead' batches wait. One reader; table and pool must outlive the stream.
class BatchStream {
 public:
  BatchStream(const TableGenerator& table, int64_t batch_rows, int batches_ahead,
              arrow::internal::ThreadPool* pool);
  ~BatchStream();
  BatchStream(const BatchStream&) = delete;
  BatchStream& operator=(const BatchStream&) = delete;

  // Null at the end.
  base::Result<std::shared_ptr<arrow::RecordBatch>> Next();

 private:
  base::Status FillAhead();

  const TableGenerator& table_;
  const int64_t batch_rows_;
  const size_t batches_ahead_;
  arrow::internal::ThreadPool* pool_;
  int64_t next_row_ = 0;
  std::deque<arrow::Future<std::shared_ptr<arrow::RecordBatch>>> waiting_;
};

}  // namespace shadowvm::cli::ssb
