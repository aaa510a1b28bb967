// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/typing.h"

#include "engine/plan/tests/plan_fixture.h"
#include "engine/plan/type_rules.h"

namespace shadowvm::plan {
namespace {

using client::Case;
using client::Coalesce;
using client::Col;
using client::DecimalLit;
using client::Expr;
using client::If;
using client::Lit;
using columns::Type;
using columns::TypeKind;

v1::Settings Ansi() {
  v1::Settings settings;
  settings.set_ansi(true);
  return settings;
}

// "text of the typed expression : type, nullable" over table "mixed"; or the numbered error.
std::string Typed(const Expr& expr, v1::Settings settings = {}) {
  auto plan = TryBuild(TableNamed("mixed").Map({{"x", expr}}), std::move(settings));
  if (!plan.ok()) return "error " + std::to_string(static_cast<int>(base::CodeOf(plan.status())));
  const auto& map = As<MapNode>(plan->root().input());
  const Expression& built = *map.expressions[0].expression;
  return ToString(built, &map.input().output) + " : " + built.type.ToString() +
         (built.nullable ? "?" : "");
}

struct TypingCase {
  Expr expr;
  std::string expected;
};

TEST(TypingTest, FollowsSparksRules) {
  const std::vector<TypingCase> cases = {
      // Integers meet in the wider type; division is of doubles and may be null.
      {Col("i8") + Col("i8"), "(i8 + i8) : int8"},
      {Col("i8") + Col("i32"), "(cast(i8 as int32) + i32) : int32"},
      {Col("i32") * Col("i64"), "(cast(i32 as int64) * i64) : int64"},
      {Col("i32") + Lit(int64_t{1}), "(cast(i32 as int64) + 1) : int64"},
      {Col("i64") + 1, "(i64 + 1) : int64"},
      {Col("i32") / 2, "(cast(i32 as double) / 2) : double?"},
      {Col("i32") % 2, "(i32 % 2) : int32?"},
      {Col("maybe") + 1, "(maybe + 1) : int32?"},
      // Floats.
      {Col("i64") + Col("f32"), "(cast(i64 as float) + f32) : float"},
      {Col("f32") * Col("f64"), "(cast(f32 as double) * f64) : double"},
      {Col("dec") * Col("f32"), "(cast(dec as double) * cast(f32 as double)) : double"},
      // Decimals: add and subtract meet in one scale, multiply keeps both.
      {Col("dec") + Col("dec"), "(dec + dec) : decimal(13,2)"},
      {Lit(1) - Col("dec"), "(1.00 - dec) : decimal(13,2)"},
      {Col("dec") * (Lit(1) - Col("dec")), "(dec * (1.00 - dec)) : decimal(26,4)"},
      {Col("dec") + Col("i32"),
       "(dec + cast(cast(i32 as decimal(10,0)) as decimal(12,2))) : decimal(13,2)"},
      {Col("dec") / Col("dec"), "(dec / dec) : decimal(27,15)?"},
      {Col("dec") % Col("dec"), "(dec % dec) : decimal(12,2)?"},
      {Col("wide") + Col("wide"), "(wide + wide) : decimal(38,9)?"},
      {Col("wide") * Col("wide"), "(wide * wide) : decimal(38,6)?"},
      {-Col("i32"), "negate(i32) : int32"},
      // Comparisons.
      {Col("i8") < Col("i64"), "(cast(i8 as int64) < i64) : boolean"},
      {Col("i64") >= 5, "(i64 >= 5) : boolean"},
      {Col("dec") > 5, "(dec > 5.00) : boolean"},
      {Col("i32") == int64_t{5}, "(i32 = 5) : boolean"},
      {Col("i8") > 300, "(cast(i8 as int32) > 300) : boolean"},
      {Col("f32") > 0.5, "(f32 > 0.5) : boolean"},
      {Col("f32") > 0.1, "(cast(f32 as double) > 0.10000000000000001) : boolean"},
      {Lit(1) == Lit(int64_t{1}), "(1 = 1) : boolean"},
      {Col("dec") == DecimalLit(5, 2, 1), "(dec = 0.50) : boolean"},
      {Col("day") >= "1994-01-01", "(day >= date:8766) : boolean"},
      {Lit("1970-01-02") == Col("day"), "(date:1 = day) : boolean"},
      {Col("day") >= "yesterday", "(day >= cast('yesterday' as date)) : boolean?"},
      {Col("text") == "x", "(text = 'x') : boolean"},
      {Col("maybe").EqualNullSafe(1), "(maybe <=> 1) : boolean"},
      {Col("i32").Between(1, 3), "((i32 >= 1) and (i32 <= 3)) : boolean"},
      {Col("flag") == Col("i32"), "error 2003"},
      {Col("day") == Col("i32"), "error 2003"},
      // Logic, nulls, choice.
      {Col("maybe").IsNull(), "is_null(maybe) : boolean"},
      {!(Col("maybe") > 1) || Col("flag"), "(not((maybe > 1)) or flag) : boolean?"},
      {Col("flag") && Col("i32"), "error 2003"},
      {If(Col("flag"), Col("i32"), Col("i64")), "case(flag, cast(i32 as int64), i64) : int64"},
      {Case().When(Col("flag"), 1).End(), "case(flag, 1, null) : int32?"},
      {Case().When(Col("flag"), 1).Else("a"), "error 2003"},
      {Coalesce({Col("maybe"), Lit(0)}), "coalesce(maybe, 0) : int32"},
      {Coalesce({Col("maybe"), Col("maybe")}), "coalesce(maybe, maybe) : int32?"},
      {Col("i8").In({1, 2}), "in(i8, 1, 2) : boolean"},
      {Col("i8").In({1, 300}), "in(cast(i8 as int32), 1, 300) : boolean"},
      {Col("i32").NotIn({1, client::NullLit(client::Int32Type())}),
       "not(in(i32, 1, null)) : boolean?"},
      {Col("day").In({"1994-01-01"}), "in(day, date:8766) : boolean"},
      // Text.
      {Col("text").Like("a%"), "starts_with(text, 'a') : boolean"},
      {Col("text").Like("%a"), "ends_with(text, 'a') : boolean"},
      {Col("text").Like("%a%"), "contains(text, 'a') : boolean"},
      {Col("text").Like("a"), "(text = 'a') : boolean"},
      {Col("text").Like("a_%"), "like(text, 'a_%') : boolean"},
      {Col("text").Like("a!%%", "!"), "like(text, 'a!%%') : boolean"},
      {Col("text").Like("a", "ab"), "error 2001"},
      {Col("i32").Like("a%"), "error 2003"},
      {Col("text").Substring(1, 2), "substring(text, 1, 2) : string"},
      {Col("text").Substring(1, Col("maybe")), "substring(text, 1, maybe) : string?"},
      {Col("i32").Substring(1, 2), "error 2003"},
      // Casts and dates.
      {Col("i64").Cast(client::Int32Type()), "cast(i64 as int32) : int32"},
      {Col("i64").TryCast(client::Int32Type()), "cast(i64 as int32) : int32?"},
      {Col("text").Cast(client::Int32Type()), "cast(text as int32) : int32?"},
      {Col("i32").Cast(client::DecimalType(4, 2)), "cast(i32 as decimal(4,2)) : decimal(4,2)?"},
      {Col("i32").Cast(client::DecimalType(12, 2)), "cast(i32 as decimal(12,2)) : decimal(12,2)"},
      {Col("day").Cast(client::Int32Type()), "error 2003"},
      {Year(Col("day")), "year(day) : int32"},
      {Month(Col("i32")), "error 2003"},
  };
  for (const auto& [expr, expected] : cases) {
    EXPECT_EQ(Typed(expr), expected);
  }
}

TEST(TypingTest, AnsiRaisesWhereLegacyGivesNull) {
  EXPECT_EQ(Typed(Col("i32") / 2, Ansi()), "(cast(i32 as double) / 2) : double");
  EXPECT_EQ(Typed(Col("text").Cast(client::Int32Type()), Ansi()), "cast(text as int32) : int32");
  EXPECT_EQ(Typed(Col("i64") + Col("f32"), Ansi()),
            "(cast(i64 as double) + cast(f32 as double)) : double");
  EXPECT_EQ(Typed(Col("wide") * Col("wide"), Ansi()), "(wide * wide) : decimal(38,6)");
}

TEST(TypingTest, WithoutPrecisionLossDecimalsAreCapped) {
  v1::Settings settings;
  settings.set_forbid_decimal_precision_loss(true);
  EXPECT_EQ(Typed(Col("wide") * Col("wide"), settings), "(wide * wide) : decimal(38,20)?");
  EXPECT_EQ(Typed(Col("wide") / Col("wide"), settings), "(wide / wide) : decimal(38,18)?");
}

TEST(TypingTest, OnlyOperationsThatCanFailRaise) {
  const auto raises = [](const Expr& expr) {
    const Plan plan = Build(TableNamed("mixed").Map({{"x", expr}}), Ansi());
    return CanRaise(*As<MapNode>(plan.root().input()).expressions[0].expression);
  };
  EXPECT_TRUE(raises(Col("i32") + 1));
  EXPECT_TRUE(raises((Col("f64") / 2.0) > 1.0));
  EXPECT_TRUE(raises(Col("i64").Cast(client::Int32Type())));
  EXPECT_FALSE(raises(Col("f64") + 1.0));
  EXPECT_FALSE(raises(Col("dec") + Col("dec")));
  EXPECT_FALSE(raises(Col("i32").Cast(client::Int64Type()) > 1));
}

struct AggregateCase {
  client::Agg agg;
  std::string type;
  bool nullable;  // when grouped
};

TEST(TypingTest, Aggregates) {
  const std::vector<AggregateCase> cases = {{Sum(Col("i8")), "int64", false},
                                            {Sum(Col("f32")), "double", false},
                                            {Sum(Col("dec")), "decimal(22,2)", true},
                                            {Sum(Col("wide")), "decimal(38,10)", true},
                                            {Sum(Col("maybe")), "int64", true},
                                            {Avg(Col("i32")), "double", false},
                                            {Avg(Col("dec")), "decimal(16,6)", true},
                                            {Min(Col("text")), "string", false},
                                            {Max(Col("maybe")), "int32", true},
                                            {client::Count(), "int64", false},
                                            {client::Count(Col("maybe")), "int64", false}};
  for (const auto& [agg, type, nullable] : cases) {
    const Plan grouped = Build(TableNamed("mixed").GroupBy({"i32"}).Aggregate({agg}));
    EXPECT_EQ(grouped.output().fields[1].type.ToString(), type);
    EXPECT_EQ(grouped.output().fields[1].nullable, nullable) << type;
    const Plan whole = Build(TableNamed("mixed").Aggregate({agg}));
    const bool counts = As<AggregateNode>(whole.root().input()).aggregates[0].function ==
                            AggregateFunction::kCount ||
                        agg.proto().function() == v1::AGGREGATE_FUNCTION_COUNT_ALL;
    EXPECT_EQ(whole.output().fields[0].nullable, !counts) << type;
  }
  EXPECT_FALSE(TryBuild(TableNamed("mixed").Aggregate({Sum(Col("text"))})).ok());
}

TEST(TypeRulesTest, DecimalDivisionAndCarry) {
  EXPECT_EQ(DecimalResult(Op::kDivide, Type::Decimal(38, 10), Type::Decimal(38, 10), true),
            Type::Decimal(38, 6));
  // 9.99 as decimal(2,1) rounds up to 10.0, which does not fit.
  EXPECT_TRUE(LegacyCastCanGiveNull(Type::Decimal(3, 2), Type::Decimal(2, 1)));
  EXPECT_FALSE(LegacyCastCanGiveNull(Type::Decimal(3, 2), Type::Decimal(3, 1)));
  EXPECT_FALSE(IsLossless(Type::Of(TypeKind::kInt64), Type::Of(TypeKind::kDouble)));
}

}  // namespace
}  // namespace shadowvm::plan
