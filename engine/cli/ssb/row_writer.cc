// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/row_writer.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include "engine/base/fault.h"

namespace shadowvm::cli::ssb {

RowWriter::RowWriter(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {
  for (const auto& field : schema_->fields()) {
    if (field->type()->id() == arrow::Type::INT32) {
      builders_.push_back(std::make_unique<arrow::Int32Builder>());
    } else {
      builders_.push_back(std::make_unique<arrow::StringBuilder>());
    }
  }
}

base::Status RowWriter::Put(int32_t value) {
  return static_cast<arrow::Int32Builder*>(builders_[next_++].get())->Append(value);
}

base::Status RowWriter::Put(std::string_view value) {
  return static_cast<arrow::StringBuilder*>(builders_[next_++].get())->Append(value);
}

base::Result<std::shared_ptr<arrow::RecordBatch>> RowWriter::Finish() {
  SVM_FAULT_POINT("gen.batch.finish");
  std::vector<std::shared_ptr<arrow::Array>> columns;
  for (auto& builder : builders_) {
    SVM_ASSIGN_OR_RETURN(columns.emplace_back(), builder->Finish());
  }
  const int64_t num_rows = columns.front()->length();
  return arrow::RecordBatch::Make(schema_, num_rows, std::move(columns));
}

std::shared_ptr<arrow::Field> IntField(std::string_view name) {
  return arrow::field(std::string(name), arrow::int32(), /*nullable=*/false);
}

std::shared_ptr<arrow::Field> TextField(std::string_view name) {
  return arrow::field(std::string(name), arrow::utf8(), /*nullable=*/false);
}

}  // namespace shadowvm::cli::ssb
