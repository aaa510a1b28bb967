// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/arrow_arrays.h"

#include <string>

#include "engine/base/fault.h"
#include "engine/columns/type_mapping.h"

namespace shadowvm::columns {

ArrowRoom::~ArrowRoom() {
  if (budget_ != nullptr) budget_->Release(reserved_);
}

base::Result<std::shared_ptr<arrow::Buffer>> ArrowRoom::Allocate(int64_t size) {
  SVM_FAULT_POINT("columns.export");
  if (budget_ != nullptr) {
    SVM_RETURN_NOT_OK(budget_->Reserve(size, "result"));
    reserved_ += size;
  }
  auto buffer = arrow::AllocateBuffer(size);
  if (!buffer.ok()) {
    return base::MakeError(base::ErrorCode::kOutOfMemory,
                           "result: the machine has no " + std::to_string(size) + " bytes");
  }
  return std::shared_ptr<arrow::Buffer>(std::move(*buffer));
}

base::Result<std::shared_ptr<arrow::Buffer>> ArrowRoom::AllocateBits(int64_t rows) {
  SVM_ASSIGN_OR_RETURN(auto bits, Allocate((rows + 7) / 8));
  std::memset(bits->mutable_data(), 0, static_cast<size_t>(bits->size()));
  return bits;
}

std::shared_ptr<arrow::Array> MakeArrowArray(Type type, int64_t rows, arrow::BufferVector buffers) {
  return arrow::MakeArray(arrow::ArrayData::Make(ToArrow(type), rows, std::move(buffers)));
}

base::Status TextTooLong(int64_t size) {
  return base::MakeError(base::ErrorCode::kUnsupported,
                         "result: a string of " + std::to_string(size) + " bytes");
}

}  // namespace shadowvm::columns
