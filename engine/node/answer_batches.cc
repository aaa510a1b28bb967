// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/answer_batches.h"

#include <arrow/ipc/writer.h>

#include <utility>

namespace shadowvm::node {
namespace {

constexpr int64_t kBatchRows = 64 << 10;
constexpr int64_t kBatchBytes = 16 << 20;

base::Status AddCut(const std::shared_ptr<arrow::RecordBatch>& batch,
                    arrow::RecordBatchVector* batches) {
  SVM_ASSIGN_OR_RETURN(const int64_t bytes, StreamBytes(*batch));
  if (bytes <= kBatchBytes || batch->num_rows() == 1) {
    batches->push_back(batch);
    return base::Status::OK();
  }
  const int64_t half = batch->num_rows() / 2;
  SVM_RETURN_NOT_OK(AddCut(batch->Slice(0, half), batches));
  return AddCut(batch->Slice(half), batches);
}

}  // namespace

base::Result<int64_t> StreamBytes(const arrow::RecordBatch& batch) {
  int64_t bytes = 0;
  SVM_RETURN_NOT_OK(arrow::ipc::GetRecordBatchSize(batch, &bytes));
  return bytes;
}

base::Result<arrow::RecordBatchVector> BatchesOf(const arrow::Table& table) {
  arrow::TableBatchReader reader(table);
  reader.set_chunksize(kBatchRows);
  SVM_ASSIGN_OR_RETURN(const arrow::RecordBatchVector whole, reader.ToRecordBatches());
  arrow::RecordBatchVector batches;
  for (const auto& batch : whole) SVM_RETURN_NOT_OK(AddCut(batch, &batches));
  if (batches.empty()) {
    SVM_ASSIGN_OR_RETURN(auto none, arrow::RecordBatch::MakeEmpty(table.schema()));
    batches.push_back(std::move(none));
  }
  return batches;
}

base::Status WriteStream(const arrow::RecordBatchVector& batches, arrow::io::OutputStream* out) {
  SVM_ASSIGN_OR_RETURN(const auto writer,
                       arrow::ipc::MakeStreamWriter(out, batches.front()->schema()));
  for (const auto& batch : batches) SVM_RETURN_NOT_OK(writer->WriteRecordBatch(*batch));
  return writer->Close();
}

}  // namespace shadowvm::node
