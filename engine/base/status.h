// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace shadowvm::base {

// Errors travel as arrow::Status; what they mean to a caller is the numbered code of
// error_table.inc, carried as the status's detail. No exception crosses a library of ours.
using arrow::Result;
using arrow::Status;

enum class ErrorCode : int32_t {
#define SVM_ERROR(name, number, arrow_code, error_class, text) name = number,
#include "engine/base/error_table.inc"
#undef SVM_ERROR
};

// Who should do what about an error.
enum class ErrorClass { kUser, kRetryable, kFatal };

// Builds a status: "SVM-1001 file not found: <message>". The message names the thing (file, column,
// action) and, where there is something to do, what to do.
Status MakeError(ErrorCode code, std::string_view message);

// The numbered code of a status, or kInternal for one that carries none.
ErrorCode CodeOf(const Status& status);
ErrorClass ClassOf(ErrorCode code);
std::string_view TextOf(ErrorCode code);

// The same status with "<context>: " before its message, code and detail kept.
Status WithContext(const Status& status, std::string_view context);

}  // namespace shadowvm::base

#define SVM_RETURN_NOT_OK(expression) ARROW_RETURN_NOT_OK(expression)
#define SVM_ASSIGN_OR_RETURN(target, expression) ARROW_ASSIGN_OR_RAISE(target, expression)
