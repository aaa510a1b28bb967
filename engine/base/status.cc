// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/status.h"

#include <memory>
#include <utility>

namespace shadowvm::base {
namespace {

constexpr char kDetailType[] = "shadowvm.error";

class ErrorDetail : public arrow::StatusDetail {
 public:
  explicit ErrorDetail(ErrorCode code) : code_(code) {}
  const char* type_id() const override { return kDetailType; }
  std::string ToString() const override { return std::to_string(static_cast<int>(code_)); }
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

struct Row {
  ErrorCode code;
  arrow::StatusCode arrow_code;
  ErrorClass error_class;
  std::string_view text;
};

constexpr Row kTable[] = {
#define SVM_ERROR(name, number, arrow_code, error_class, text) \
  {ErrorCode::name, arrow::StatusCode::arrow_code, ErrorClass::k##error_class, text},
#include "engine/base/error_table.inc"
#undef SVM_ERROR
};

const Row& Find(ErrorCode code) {
  for (const Row& row : kTable) {
    if (row.code == code) return row;
  }
  return Find(ErrorCode::kInternal);
}

}  // namespace

Status MakeError(ErrorCode code, std::string_view message) {
  const Row& row = Find(code);
  std::string text = "SVM-" + std::to_string(static_cast<int>(row.code)) + " ";
  text.append(row.text).append(": ").append(message);
  return Status(row.arrow_code, std::move(text), std::make_shared<ErrorDetail>(row.code));
}

ErrorCode CodeOf(const Status& status) {
  const auto& detail = status.detail();
  if (detail == nullptr || std::string_view(detail->type_id()) != kDetailType) {
    return ErrorCode::kInternal;
  }
  return static_cast<const ErrorDetail&>(*detail).code();
}

ErrorClass ClassOf(ErrorCode code) { return Find(code).error_class; }

std::string_view TextOf(ErrorCode code) { return Find(code).text; }

Status WithContext(const Status& status, std::string_view context) {
  if (status.ok()) return status;
  return status.WithMessage(context, ": ", status.message());
}

}  // namespace shadowvm::base
