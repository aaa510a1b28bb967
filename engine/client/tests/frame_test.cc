// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/client/frame.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "engine/base/status.h"
#include "engine/client/client.h"

namespace shadowvm::client {
namespace {

v1::Command Parsed(const std::string& text) {
  v1::Command command;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &command));
  return command;
}

TEST(FrameTest, AQueryIsItsCommand) {
  const Frame frame = Scan("lineorder.parquet")
                          .Filter(Col("lo_quantity") < 25)
                          .Join(Table("date"), {On("lo_orderdate", "d_datekey")})
                          .GroupBy({"d_year"})
                          .Aggregate({Sum(Col("lo_revenue")).As("revenue"), Count()})
                          .OrderBy({Asc("d_year"), Desc("revenue").NullsFirst()})
                          .Limit(10, 5);
  const v1::Command expected = Parsed(R"(
    protocol_version: 1
    root: 7
    actions { id: 1 scan { files { paths: "lineorder.parquet" } } }
    actions { id: 2 inputs: 1 filter { conditions { call { operator: OPERATOR_LESS
      args { column { name: "lo_quantity" } }
      args { literal { type { kind: TYPE_KIND_INT32 } int_value: 25 } } } } } }
    actions { id: 3 scan { table: "date" } }
    actions { id: 4 inputs: [2, 3] join { kind: JOIN_KIND_INNER
      left_keys { column { name: "lo_orderdate" } } right_keys { column { name: "d_datekey" } } } }
    actions { id: 5 inputs: 4 aggregate {
      keys { name: "d_year" expression { column { name: "d_year" } } }
      aggregates { function: AGGREGATE_FUNCTION_SUM argument { column { name: "lo_revenue" } } name: "revenue" }
      aggregates { function: AGGREGATE_FUNCTION_COUNT_ALL } } }
    actions { id: 6 inputs: 5 sort {
      keys { expression { column { name: "d_year" } } }
      keys { expression { column { name: "revenue" } } descending: true null_order: NULL_ORDER_FIRST } } }
    actions { id: 7 inputs: 6 limit { count: 10 offset: 5 } }
  )");
  EXPECT_EQ(frame.ToCommand().DebugString(), expected.DebugString());
}

TEST(FrameTest, AFrameUsedTwiceIsOneAction) {
  const Frame dates = Table("date").Filter(Col("d_year") == 1993);
  const v1::Command command = dates.AntiJoin(dates, {On("d_datekey")}).ToCommand();
  ASSERT_EQ(command.actions_size(), 3);
  EXPECT_EQ(command.actions(2).inputs(0), command.actions(2).inputs(1));
  EXPECT_EQ(command.actions(2).join().kind(), v1::JOIN_KIND_LEFT_ANTI);
}

TEST(FrameTest, MapsNameTheirColumns) {
  const v1::Command command = Table("t").Map({"a", {"b", Col("a") + 1}, Col("c")}).ToCommand();
  const v1::Map& map = command.actions(1).map();
  ASSERT_EQ(map.expressions_size(), 3);
  EXPECT_EQ(map.expressions(0).name(), "a");
  EXPECT_EQ(map.expressions(1).name(), "b");
  EXPECT_EQ(map.expressions(2).name(), "");
}

struct LiteralCase {
  Expr expr;
  std::string text;
};

TEST(ExpressionTest, ConstantsCarryTheirTypes) {
  const std::vector<LiteralCase> cases = {
      {Lit(true), "literal { type { kind: TYPE_KIND_BOOL } bool_value: true }"},
      {Lit(7), "literal { type { kind: TYPE_KIND_INT32 } int_value: 7 }"},
      {Lit(int64_t{7}), "literal { type { kind: TYPE_KIND_INT64 } int_value: 7 }"},
      {Lit(0.5F), "literal { type { kind: TYPE_KIND_FLOAT } double_value: 0.5 }"},
      {Lit(0.5), "literal { type { kind: TYPE_KIND_DOUBLE } double_value: 0.5 }"},
      {Lit("a"), "literal { type { kind: TYPE_KIND_STRING } string_value: \"a\" }"},
      {Lit(std::string("a")), "literal { type { kind: TYPE_KIND_STRING } string_value: \"a\" }"},
      {DateLit(1970, 1, 3), "literal { type { kind: TYPE_KIND_DATE } int_value: 2 }"},
      {NullLit(Int8Type()), "literal { type { kind: TYPE_KIND_INT8 } }"},
      {DecimalLit(-1, 3, 1),
       "literal { type { kind: TYPE_KIND_DECIMAL precision: 3 scale: 1 } decimal_value: "
       "\"\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\" }"},
  };
  for (const auto& [expr, text] : cases) EXPECT_EQ(expr.proto().ShortDebugString(), text);
}

TEST(ExpressionTest, OperatorsAndFunctions) {
  const auto operator_of = [](const Expr& expr) { return expr.proto().call().operator_(); };
  const Expr a = Col("a");
  EXPECT_EQ(operator_of(a + 1), v1::OPERATOR_ADD);
  EXPECT_EQ(operator_of(1 - a), v1::OPERATOR_SUBTRACT);
  EXPECT_EQ(operator_of(a * a), v1::OPERATOR_MULTIPLY);
  EXPECT_EQ(operator_of(a / 2), v1::OPERATOR_DIVIDE);
  EXPECT_EQ(operator_of(a % 2), v1::OPERATOR_MODULO);
  EXPECT_EQ(operator_of(-a), v1::OPERATOR_NEGATE);
  EXPECT_EQ(operator_of(a == "x"), v1::OPERATOR_EQUAL);
  EXPECT_EQ(operator_of(a != 1), v1::OPERATOR_NOT_EQUAL);
  EXPECT_EQ(operator_of(a <= 1), v1::OPERATOR_LESS_EQUAL);
  EXPECT_EQ(operator_of(a > 1), v1::OPERATOR_GREATER);
  EXPECT_EQ(operator_of(a >= 1), v1::OPERATOR_GREATER_EQUAL);
  EXPECT_EQ(operator_of(a > 1 && a < 3), v1::OPERATOR_AND);
  EXPECT_EQ(operator_of(a > 1 || a < 3), v1::OPERATOR_OR);
  EXPECT_EQ(operator_of(!a), v1::OPERATOR_NOT);
  EXPECT_EQ(operator_of(a.Between(1, 2)), v1::OPERATOR_BETWEEN);
  EXPECT_EQ(a.Between(1, 2).proto().call().args_size(), 3);
  EXPECT_EQ(operator_of(a.IsNull()), v1::OPERATOR_IS_NULL);
  EXPECT_EQ(operator_of(a.StartsWith("x")), v1::OPERATOR_STARTS_WITH);
  EXPECT_EQ(operator_of(a.Substring(1, 2)), v1::OPERATOR_SUBSTRING);
  EXPECT_EQ(operator_of(Coalesce({a, 1})), v1::OPERATOR_COALESCE);
  EXPECT_EQ(operator_of(If(a, 1, 2)), v1::OPERATOR_IF);
  EXPECT_EQ(operator_of(Year(a)), v1::OPERATOR_YEAR);
  EXPECT_EQ(a.In({1, 2, 3}).proto().in_list().items_size(), 3);
  EXPECT_TRUE(a.NotIn({1}).proto().in_list().negated());
  EXPECT_EQ(a.Like("x%").proto().like().pattern(), "x%");
  EXPECT_EQ(a.TryCast(Int8Type()).proto().cast().eval_mode(), v1::EVAL_MODE_TRY);
  const Expr choice = Case().When(a == 1, "one").When(a == 2, "two").Else("many");
  EXPECT_EQ(choice.proto().case_().branches_size(), 2);
  EXPECT_TRUE(choice.proto().case_().has_otherwise());
}

// Remembers what it was asked.
class RecordingRunner : public Runner {
 public:
  explicit RecordingRunner(std::vector<v1::Command>* commands) : commands_(commands) {}
  arrow::Result<std::shared_ptr<arrow::Table>> Run(const v1::Command& command) override {
    commands_->push_back(command);
    return base::MakeError(base::ErrorCode::kUnknownColumn, "nothing");
  }
  arrow::Status AddTable(const std::string&, std::shared_ptr<arrow::Table>) override {
    return arrow::Status::OK();
  }

 private:
  std::vector<v1::Command>* commands_;
};

TEST(SessionTest, FramesRunOnTheirSessionWithItsSettings) {
  std::vector<v1::Command> commands;
  v1::Settings settings;
  settings.set_ansi(true);
  const auto session = Session::MakeOn(std::make_unique<RecordingRunner>(&commands), settings);
  const auto answer = session->Table("t").Filter(Col("x") > 1).Collect();
  EXPECT_EQ(base::CodeOf(answer.status()), base::ErrorCode::kUnknownColumn);
  EXPECT_FALSE(Table("s").Join(session->Scan("t"), {On("x")}).WriteParquet("out.parquet").ok());
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_TRUE(commands[0].settings().ansi());
  EXPECT_TRUE(commands[0].actions(2).sink().has_collect());
  EXPECT_EQ(commands[0].root(), 3U);
  EXPECT_EQ(commands[1].actions(3).sink().parquet().path(), "out.parquet");
}

TEST(SessionTest, AFrameWithoutASessionSaysSo) {
  EXPECT_EQ(base::CodeOf(Table("t").Collect().status()), base::ErrorCode::kBadCommand);
}

}  // namespace
}  // namespace shadowvm::client
