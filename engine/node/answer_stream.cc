// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/answer_stream.h"

#include <arrow/ipc/writer.h>
#include <arrow/record_batch.h>

#include <string>
#include <utility>

#include "engine/base/fault.h"
#include "engine/node/answer_batches.h"

namespace shadowvm::node {
namespace {

namespace flight = arrow::flight;

class AnswerStream : public flight::FlightDataStream {
 public:
  AnswerStream(std::shared_ptr<Query> query, arrow::RecordBatchVector batches,
               std::string last_words, StreamEvents events)
      : query_(std::move(query)),
        batches_(std::move(batches)),
        last_words_(std::move(last_words)),
        events_(std::move(events)) {}

  std::shared_ptr<arrow::Schema> schema() override { return batches_.front()->schema(); }

  arrow::Result<flight::FlightPayload> GetSchemaPayload() override {
    flight::FlightPayload payload;
    SVM_RETURN_NOT_OK(arrow::ipc::GetSchemaPayload(
        *schema(), options_, arrow::ipc::DictionaryFieldMapper(*schema()), &payload.ipc_message));
    return payload;
  }

  arrow::Result<flight::FlightPayload> Next() override {
    events_.on_batch();
    flight::FlightPayload payload;
    if (next_ == batches_.size()) {
      events_.on_fetched();
      return payload;
    }
    SVM_FAULT_POINT("node.answer.send");
    SVM_RETURN_NOT_OK(
        arrow::ipc::GetRecordBatchPayload(*batches_[next_++], options_, &payload.ipc_message));
    if (next_ == batches_.size()) {
      payload.app_metadata = arrow::Buffer::FromString(last_words_);
    }
    return payload;
  }

 private:
  const std::shared_ptr<Query> query_;  // whose life is that of the reserved bytes
  const arrow::RecordBatchVector batches_;
  const std::string last_words_;
  const StreamEvents events_;
  const arrow::ipc::IpcWriteOptions options_ = arrow::ipc::IpcWriteOptions::Defaults();
  size_t next_ = 0;
};

}  // namespace

base::Result<std::unique_ptr<flight::FlightDataStream>> StreamAnswer(
    std::shared_ptr<Query> query, const v1::QueryMetrics& metrics, StreamEvents events) {
  SVM_ASSIGN_OR_RETURN(const std::shared_ptr<arrow::Table> table, query->answer());
  SVM_ASSIGN_OR_RETURN(arrow::RecordBatchVector batches, BatchesOf(*table));
  return std::make_unique<AnswerStream>(std::move(query), std::move(batches),
                                        metrics.SerializeAsString(), std::move(events));
}

}  // namespace shadowvm::node
