// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/batch_stream.h"

#include <algorithm>

namespace shadowvm::cli::ssb {

BatchStream::BatchStream(const TableGenerator& table, int64_t batch_rows, int batches_ahead,
                         arrow::internal::ThreadPool* pool)
    : table_(table), batch_rows_(batch_rows), batches_ahead_(batches_ahead), pool_(pool) {}

BatchStream::~BatchStream() {
  for (auto& batch : waiting_) batch.Wait();
}

base::Status BatchStream::FillAhead() {
  while (waiting_.size() < batches_ahead_ && next_row_ < table_.num_rows()) {
    const int64_t first = next_row_;
    const int64_t count = std::min(batch_rows_, table_.num_rows() - first);
    SVM_ASSIGN_OR_RETURN(
        auto batch, pool_->Submit([this, first, count] { return table_.Generate(first, count); }));
    waiting_.push_back(std::move(batch));
    next_row_ += count;
  }
  return base::Status::OK();
}

base::Result<std::shared_ptr<arrow::RecordBatch>> BatchStream::Next() {
  SVM_RETURN_NOT_OK(FillAhead());
  if (waiting_.empty()) return nullptr;
  auto batch = waiting_.front().result();
  waiting_.pop_front();
  return batch;
}

}  // namespace shadowvm::cli::ssb
