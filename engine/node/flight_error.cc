// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/flight_error.h"

#include <arrow/flight/types.h>
#include <arrow/util/utf8.h>

#include <algorithm>

namespace shadowvm::node {
namespace {

namespace flight = arrow::flight;
using base::ErrorClass;
using base::ErrorCode;

// gRPC takes 8 KiB of headers in all, and Arrow sends a message in more than one of them.
constexpr size_t kMaxMessage = 1500;

flight::FlightStatusCode FlightCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCancelled:
      return flight::FlightStatusCode::Cancelled;
    case ErrorCode::kUnknownSession:
      return flight::FlightStatusCode::Unauthenticated;
    default:
      break;
  }
  switch (base::ClassOf(code)) {
    case ErrorClass::kUser:
      return flight::FlightStatusCode::Failed;
    case ErrorClass::kRetryable:
      return flight::FlightStatusCode::Unavailable;
    case ErrorClass::kFatal:
      return flight::FlightStatusCode::Internal;
  }
  return flight::FlightStatusCode::Internal;
}

v1::ErrorClass ToProto(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::kUser:
      return v1::ERROR_CLASS_USER;
    case ErrorClass::kRetryable:
      return v1::ERROR_CLASS_RETRYABLE;
    case ErrorClass::kFatal:
      return v1::ERROR_CLASS_FATAL;
  }
  return v1::ERROR_CLASS_UNSPECIFIED;
}

// Every error has a number, also one that Arrow made.
std::string MessageOf(const base::Status& status) {
  std::string message = Readable(status.message());
  if (message.find("SVM-") == std::string::npos) {
    message = base::MakeError(base::CodeOf(status), message).message();
  }
  return message;
}

// A message as the node wrote it, without what Flight and gRPC put around it.
std::string_view OwnWords(std::string_view message) {
  constexpr std::string_view kBefore = "with message: ";
  if (const size_t before = message.find(kBefore); before != message.npos) {
    message.remove_prefix(before + kBefore.size());
  }
  for (const char* after : {". gRPC client debug context: ", ". Client context: ", ". Detail: "}) {
    message = message.substr(0, message.find(after));
  }
  return message;
}

}  // namespace

std::string Readable(std::string_view text) {
  arrow::util::InitializeUTF8();
  std::string readable(text);
  if (arrow::util::ValidateUTF8(text)) return readable;
  std::replace_if(readable.begin(), readable.end(), [](char c) { return (c & 0x80) != 0; }, '?');
  return readable;
}

v1::Error ToProto(const base::Status& status) {
  const ErrorCode code = base::CodeOf(status);
  v1::Error error;
  error.set_code(static_cast<int32_t>(code));
  error.set_error_class(ToProto(base::ClassOf(code)));
  error.set_message(MessageOf(status));
  return error;
}

arrow::Status ToFlight(const base::Status& status) {
  if (status.ok()) return status;
  v1::Error error = ToProto(status);
  const std::string message = Readable(error.message().substr(0, kMaxMessage));
  error.clear_message();
  return flight::MakeFlightError(FlightCodeOf(base::CodeOf(status)), message,
                                 error.SerializeAsString());
}

base::Status FromFlight(const arrow::Status& status) {
  if (status.ok()) return status;
  const auto detail = flight::FlightStatusDetail::UnwrapStatus(status);
  v1::Error error;
  if (detail == nullptr || !error.ParseFromString(detail->extra_info()) || error.code() == 0) {
    return base::MakeError(ErrorCode::kNodeStopping, "it does not answer: " + status.message());
  }
  const auto code = static_cast<ErrorCode>(error.code());
  const std::string_view message = OwnWords(status.message());
  // The number and its text, which MakeError writes again; before it may stand where it happened.
  const std::string text = base::MakeError(code, "").message();
  const size_t place = message.find(text);
  if (place == message.npos) return base::MakeError(code, message);
  const base::Status own = base::MakeError(code, message.substr(place + text.size()));
  return own.WithMessage(message.substr(0, place), own.message());
}

}  // namespace shadowvm::node
