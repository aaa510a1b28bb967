// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/flight_error.h"

#include <arrow/flight/types.h>
#include <gtest/gtest.h>

namespace shadowvm::node {
namespace {

using arrow::flight::FlightStatusCode;
using arrow::flight::FlightStatusDetail;
using base::ErrorCode;

FlightStatusCode FlightCodeOf(ErrorCode code) {
  return FlightStatusDetail::UnwrapStatus(ToFlight(base::MakeError(code, "x")))->code();
}

TEST(FlightError, ClassesDecide) {
  EXPECT_TRUE(ToFlight(base::Status::OK()).ok());
  EXPECT_EQ(FlightCodeOf(ErrorCode::kFileMissing), FlightStatusCode::Failed);
  EXPECT_EQ(FlightCodeOf(ErrorCode::kOutOfMemory), FlightStatusCode::Unavailable);
  EXPECT_EQ(FlightCodeOf(ErrorCode::kNodeStopping), FlightStatusCode::Unavailable);
  EXPECT_EQ(FlightCodeOf(ErrorCode::kInternal), FlightStatusCode::Internal);
  EXPECT_EQ(FlightCodeOf(ErrorCode::kCancelled), FlightStatusCode::Cancelled);
  EXPECT_EQ(FlightCodeOf(ErrorCode::kUnknownSession), FlightStatusCode::Unauthenticated);
}

TEST(FlightError, CarriesCodeAndMessage) {
  const arrow::Status status = ToFlight(base::MakeError(ErrorCode::kFileMissing, "a.parquet"));
  EXPECT_TRUE(status.message().starts_with("SVM-1001 ")) << status.message();
  v1::Error error;
  ASSERT_TRUE(error.ParseFromString(FlightStatusDetail::UnwrapStatus(status)->extra_info()));
  EXPECT_EQ(error.code(), 1001);
  EXPECT_EQ(error.error_class(), v1::ERROR_CLASS_USER);
}

TEST(FlightError, NumbersForeignErrors) {
  EXPECT_TRUE(ToFlight(base::Status::IOError("disk")).message().starts_with("SVM-9001 "));
}

TEST(FlightError, ComesBackAsItWas) {
  const auto error =
      base::WithContext(base::MakeError(ErrorCode::kFileMissing, "a.parquet"), "action 1");
  const auto back = FromFlight(ToFlight(error));
  EXPECT_EQ(base::CodeOf(back), ErrorCode::kFileMissing);
  EXPECT_EQ(back.message(), error.message());
  EXPECT_EQ(back.code(), error.code());
  EXPECT_TRUE(FromFlight(base::Status::OK()).ok());
}

TEST(FlightError, WhatFlightSaysItselfIsThatTheNodeIsAway) {
  const auto lost = arrow::flight::MakeFlightError(FlightStatusCode::Unavailable, "lost");
  EXPECT_EQ(base::CodeOf(FromFlight(lost)), ErrorCode::kNodeStopping);
}

TEST(FlightError, MessagesFitAHeaderAndAreText) {
  const auto status =
      ToFlight(base::MakeError(ErrorCode::kCompileFailed, std::string(1 << 20, 'x')));
  EXPECT_LT(status.message().size(), 2000U);
  EXPECT_EQ(Readable("a\xff\xc3\xa4"), "a???");
  EXPECT_EQ(Readable("a\xc3\xa4"), "a\xc3\xa4");
}

}  // namespace
}  // namespace shadowvm::node
