// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/status.h"

#include <gtest/gtest.h>

namespace shadowvm::base {
namespace {

TEST(Status, CarriesItsNumberAndText) {
  const Status status = MakeError(ErrorCode::kFileMissing, "/no/such.parquet");
  EXPECT_TRUE(status.IsIOError());
  EXPECT_EQ(CodeOf(status), ErrorCode::kFileMissing);
  EXPECT_EQ(status.message(), "SVM-1001 file not found: /no/such.parquet");
}

TEST(Status, ContextKeepsTheCode) {
  const Status status = WithContext(MakeError(ErrorCode::kUnknownColumn, "'x'"), "filter");
  EXPECT_EQ(CodeOf(status), ErrorCode::kUnknownColumn);
  EXPECT_EQ(status.message(), "filter: SVM-2002 unknown column: 'x'");
}

TEST(Status, ForeignErrorsAreInternal) {
  EXPECT_EQ(CodeOf(Status::Invalid("from elsewhere")), ErrorCode::kInternal);
  EXPECT_EQ(ClassOf(ErrorCode::kInternal), ErrorClass::kFatal);
  EXPECT_EQ(ClassOf(ErrorCode::kOutOfMemory), ErrorClass::kRetryable);
}

}  // namespace
}  // namespace shadowvm::base
