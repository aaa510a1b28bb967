// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/answer_json.h"

#include <arrow/builder.h>
#include <arrow/table.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace shadowvm::cli {
namespace {

std::string JsonOf(arrow::ArrayBuilder* builder) {
  const auto array = builder->Finish().ValueOrDie();
  const auto schema = arrow::schema({arrow::field("x", array->type())});
  return RowsToJson(*arrow::Table::Make(schema, {array})).ValueOrDie().dump();
}

TEST(AnswerJsonTest, NumbersAreNumbersAndNullsAreNull) {
  arrow::Int32Builder ints;
  ASSERT_TRUE(ints.AppendValues({1, -2}).ok());
  ASSERT_TRUE(ints.AppendNull().ok());
  EXPECT_EQ(JsonOf(&ints), "[[1],[-2],[null]]");
  arrow::DoubleBuilder doubles;
  ASSERT_TRUE(doubles.Append(0.5).ok());
  EXPECT_EQ(JsonOf(&doubles), "[[0.5]]");
}

TEST(AnswerJsonTest, TextsAndDatesAreStrings) {
  arrow::StringBuilder texts;
  ASSERT_TRUE(texts.Append("UNITED KI1").ok());
  EXPECT_EQ(JsonOf(&texts), R"([["UNITED KI1"]])");
  arrow::Date32Builder dates;
  ASSERT_TRUE(dates.Append(0).ok());
  EXPECT_EQ(JsonOf(&dates), R"([["1970-01-01"]])");
}

TEST(AnswerJsonTest, DecimalsLoseNoDigit) {
  arrow::Decimal128Builder whole(arrow::decimal128(38, 0));
  ASSERT_TRUE(whole.Append(arrow::Decimal128(447037974813)).ok());
  EXPECT_EQ(JsonOf(&whole), "[[447037974813]]");
  arrow::Decimal128Builder fraction(arrow::decimal128(10, 2));
  ASSERT_TRUE(fraction.Append(arrow::Decimal128(1234)).ok());
  EXPECT_EQ(JsonOf(&fraction), R"([["12.34"]])");
}

}  // namespace
}  // namespace shadowvm::cli
