// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/interpret/interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/memory/budget.h"

namespace shadowvm::exec {
namespace {

using base::ErrorCode;
using columns::Type;
using columns::TypeKind;
using plan::EvalMode;
using plan::ExpressionPtr;
using plan::MakeLiteral;
using plan::MakeNode;
using plan::Op;

const Type kBool = Type::Of(TypeKind::kBool);
const Type kByte = Type::Of(TypeKind::kInt8);
const Type kInt = Type::Of(TypeKind::kInt32);
const Type kLong = Type::Of(TypeKind::kInt64);
const Type kFloat = Type::Of(TypeKind::kFloat);
const Type kDouble = Type::Of(TypeKind::kDouble);
const Type kString = Type::Of(TypeKind::kString);
const Type kDate = Type::Of(TypeKind::kDate);

ExpressionPtr Of(Type type, int64_t value) { return MakeLiteral(type, Value::Integer(value)); }
ExpressionPtr Of(double value) { return MakeLiteral(kDouble, Value::Number(value)); }
ExpressionPtr Of(const char* value) { return MakeLiteral(kString, Value::Text(value)); }
ExpressionPtr Null(Type type) { return MakeLiteral(type, Value::Null()); }

Value Compute(Op op, Type type, std::vector<ExpressionPtr> args,
              EvalMode mode = EvalMode::kLegacy) {
  return Evaluate(*MakeNode(op, type, true, std::move(args), mode), {}).ValueOrDie();
}
ErrorCode Error(Op op, Type type, std::vector<ExpressionPtr> args) {
  const auto node = MakeNode(op, type, true, std::move(args), EvalMode::kAnsi);
  const auto result = Evaluate(*node, {});
  EXPECT_FALSE(result.ok());
  return base::CodeOf(result.status());
}
// "true", "false" or "null".
std::string Truth(Op op, std::vector<ExpressionPtr> args) {
  const Value value = Compute(op, kBool, std::move(args));
  return value.is_null ? "null" : value.integer != 0 ? "true" : "false";
}

TEST(Interpreter, IntegersWrapFailOrAreNull) {
  const auto args = [] { return std::vector{Of(kInt, INT32_MAX), Of(kInt, 1)}; };
  EXPECT_EQ(Compute(Op::kAdd, kInt, args()).int64(), INT32_MIN);
  EXPECT_TRUE(Compute(Op::kAdd, kInt, args(), EvalMode::kTry).is_null);
  EXPECT_EQ(Error(Op::kAdd, kInt, args()), ErrorCode::kOverflow);
  EXPECT_EQ(Compute(Op::kMultiply, kByte, {Of(kByte, 64), Of(kByte, 2)}).int64(), -128);
  EXPECT_EQ(Compute(Op::kSubtract, kLong, {Of(kLong, INT64_MIN), Of(kLong, 1)}).int64(), INT64_MAX);
  EXPECT_EQ(Compute(Op::kNegate, kInt, {Of(kInt, INT32_MIN)}).int64(), INT32_MIN);
  EXPECT_EQ(Error(Op::kNegate, kInt, {Of(kInt, INT32_MIN)}), ErrorCode::kOverflow);
  EXPECT_EQ(Compute(Op::kModulo, kInt, {Of(kInt, -7), Of(kInt, 3)}).int64(), -1);
  EXPECT_TRUE(Compute(Op::kModulo, kInt, {Of(kInt, 7), Of(kInt, 0)}).is_null);
  EXPECT_EQ(Error(Op::kModulo, kInt, {Of(kInt, 7), Of(kInt, 0)}), ErrorCode::kDivideByZero);
  EXPECT_TRUE(Compute(Op::kAdd, kInt, {Of(kInt, 1), Null(kInt)}).is_null);
}

TEST(Interpreter, Floats) {
  EXPECT_EQ(Compute(Op::kDivide, kDouble, {Of(7.0), Of(2.0)}).number, 3.5);
  EXPECT_TRUE(Compute(Op::kDivide, kDouble, {Of(7.0), Of(0.0)}).is_null);
  EXPECT_EQ(Error(Op::kDivide, kDouble, {Of(7.0), Of(-0.0)}), ErrorCode::kDivideByZero);
  EXPECT_EQ(Compute(Op::kModulo, kDouble, {Of(-7.5), Of(2.0)}).number, -1.5);
  const auto third = MakeLiteral(kFloat, Value::Number(1.0f / 3));
  EXPECT_EQ(Compute(Op::kMultiply, kFloat, {third, third}).number, (1.0f / 3) * (1.0f / 3));
}

TEST(Interpreter, Decimals) {
  const Type money = Type::Decimal(6, 2);
  const auto of = [&](int64_t unscaled) { return Of(money, unscaled); };
  EXPECT_EQ(Compute(Op::kAdd, Type::Decimal(7, 2), {of(999999), of(1)}).int64(), 1000000);
  EXPECT_TRUE(Compute(Op::kAdd, money, {of(999999), of(1)}).is_null);
  EXPECT_EQ(Error(Op::kAdd, money, {of(999999), of(1)}), ErrorCode::kOverflow);
  EXPECT_EQ(Compute(Op::kSubtract, money, {of(100), of(250)}).int64(), -150);
  EXPECT_EQ(Compute(Op::kMultiply, Type::Decimal(13, 4), {of(150), of(-250)}).int64(), -37500);
  EXPECT_EQ(Compute(Op::kDivide, Type::Decimal(15, 9), {of(100), of(300)}).int64(), 333333333);
  EXPECT_TRUE(Compute(Op::kDivide, Type::Decimal(15, 9), {of(100), of(0)}).is_null);
  EXPECT_EQ(Error(Op::kDivide, Type::Decimal(15, 9), {of(1), of(0)}), ErrorCode::kDivideByZero);
  // 9999.99 / 0.01 has six digits before the point.
  EXPECT_EQ(Compute(Op::kDivide, Type::Decimal(8, 2), {of(999999), of(1)}).int64(), 99999900);
  EXPECT_TRUE(Compute(Op::kDivide, Type::Decimal(7, 2), {of(999999), of(1)}).is_null);
  EXPECT_TRUE(
      Compute(Op::kDivide, Type::Decimal(7, 2), {of(999999), of(1)}, EvalMode::kTry).is_null);
  EXPECT_EQ(Error(Op::kDivide, Type::Decimal(7, 2), {of(999999), of(1)}), ErrorCode::kOverflow);
  EXPECT_EQ(Compute(Op::kModulo, money, {of(-750), of(200)}).int64(), -150);
  EXPECT_EQ(Compute(Op::kNegate, money, {of(5)}).int64(), -5);
}

TEST(Interpreter, Comparisons) {
  const auto nan = [] { return Of(std::numeric_limits<double>::quiet_NaN()); };
  EXPECT_EQ(Truth(Op::kEqual, {nan(), nan()}), "true");
  EXPECT_EQ(Truth(Op::kGreater, {nan(), Of(1e308)}), "true");
  EXPECT_EQ(Truth(Op::kEqual, {Of(0.0), Of(-0.0)}), "true");
  EXPECT_EQ(Truth(Op::kLess, {Of("ab"), Of("abc")}), "true");
  EXPECT_EQ(Truth(Op::kLess, {Of("\xc3\xa9"), Of("z")}), "false");
  EXPECT_EQ(Truth(Op::kNotEqual, {Of(kInt, 1), Of(kInt, 2)}), "true");
  EXPECT_EQ(Truth(Op::kLessEqual, {Of(kInt, 2), Of(kInt, 2)}), "true");
  EXPECT_EQ(Truth(Op::kGreaterEqual, {Of(kInt, 1), Of(kInt, 2)}), "false");
  EXPECT_EQ(Truth(Op::kEqual, {Null(kInt), Of(kInt, 2)}), "null");
  EXPECT_EQ(Truth(Op::kEqualNullSafe, {Null(kInt), Of(kInt, 0)}), "false");
  EXPECT_EQ(Truth(Op::kEqualNullSafe, {Null(kInt), Null(kInt)}), "true");
  EXPECT_EQ(Truth(Op::kEqualNullSafe, {nan(), nan()}), "true");
}

TEST(Interpreter, ThreeValuedLogic) {
  const std::vector<ExpressionPtr> values = {Of(kBool, 0), Of(kBool, 1), Null(kBool)};
  const char* const conjunction[3][3] = {
      {"false", "false", "false"}, {"false", "true", "null"}, {"false", "null", "null"}};
  const char* const disjunction[3][3] = {
      {"false", "true", "null"}, {"true", "true", "true"}, {"null", "true", "null"}};
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) {
      EXPECT_EQ(Truth(Op::kAnd, {values[a], values[b]}), conjunction[a][b]);
      EXPECT_EQ(Truth(Op::kOr, {values[a], values[b]}), disjunction[a][b]);
    }
  }
  EXPECT_EQ(Truth(Op::kNot, {Null(kBool)}), "null");
  EXPECT_EQ(Truth(Op::kNot, {values[0]}), "true");
  EXPECT_EQ(Truth(Op::kIsNull, {Null(kInt)}), "true");
  EXPECT_EQ(Truth(Op::kIsNotNull, {Null(kInt)}), "false");
}

TEST(Interpreter, BranchesNotTakenDoNotFail) {
  const auto fails = MakeNode(Op::kModulo, kInt, true, {Of(kInt, 1), Of(kInt, 0)}, EvalMode::kAnsi);
  const auto wrong = MakeNode(Op::kEqual, kBool, true, {fails, Of(kInt, 1)});
  EXPECT_EQ(Truth(Op::kAnd, {Of(kBool, 0), wrong}), "false");
  EXPECT_EQ(Truth(Op::kOr, {Of(kBool, 1), wrong}), "true");
  EXPECT_EQ(Compute(Op::kCase, kInt, {Of(kBool, 1), Of(kInt, 5), fails}).int64(), 5);
  EXPECT_EQ(
      Compute(Op::kCase, kInt, {Null(kBool), fails, Of(kBool, 0), fails, Of(kInt, 6)}).int64(), 6);
  EXPECT_EQ(Compute(Op::kCoalesce, kInt, {Null(kInt), Of(kInt, 7), fails}).int64(), 7);
  EXPECT_TRUE(Compute(Op::kCoalesce, kInt, {Null(kInt), Null(kInt)}).is_null);
  const auto node = MakeNode(Op::kAnd, kBool, true, {Of(kBool, 1), wrong});
  EXPECT_EQ(base::CodeOf(Evaluate(*node, {}).status()), ErrorCode::kDivideByZero);
}

TEST(Interpreter, InLists) {
  EXPECT_EQ(Truth(Op::kIn, {Of(kInt, 2), Of(kInt, 1), Of(kInt, 2)}), "true");
  EXPECT_EQ(Truth(Op::kIn, {Of(kInt, 3), Of(kInt, 1), Of(kInt, 2)}), "false");
  EXPECT_EQ(Truth(Op::kIn, {Of(kInt, 3), Of(kInt, 1), Null(kInt)}), "null");
  EXPECT_EQ(Truth(Op::kIn, {Of(kInt, 1), Of(kInt, 1), Null(kInt)}), "true");
  EXPECT_EQ(Truth(Op::kIn, {Null(kInt), Of(kInt, 1)}), "null");
  EXPECT_EQ(Truth(Op::kIn, {Of("b"), Of("a"), Of("b")}), "true");
}

TEST(Interpreter, Strings) {
  EXPECT_EQ(Truth(Op::kStartsWith, {Of("MFGR#12"), Of("MFGR#1")}), "true");
  EXPECT_EQ(Truth(Op::kEndsWith, {Of("MFGR#12"), Of("#12")}), "true");
  EXPECT_EQ(Truth(Op::kContains, {Of("MFGR#12"), Of("GR#")}), "true");
  EXPECT_EQ(Truth(Op::kContains, {Of("MFGR#12"), Of("gr")}), "false");
  EXPECT_EQ(Truth(Op::kLike, {Of("a\xc3\xa9z"), Of("a_z")}), "true");
  EXPECT_EQ(Truth(Op::kLike, {Of("banana"), Of("%an%a")}), "true");
  EXPECT_EQ(Truth(Op::kLike, {Null(kString), Of("%")}), "null");
  auto like = *MakeNode(Op::kLike, kBool, true, {Of("50%"), Of("50\\%")});
  like.escape = '\\';
  EXPECT_EQ(Evaluate(like, {}).ValueOrDie().int64(), 1);
  like.args = {Of("500"), Of("50\\%")};
  EXPECT_EQ(Evaluate(like, {}).ValueOrDie().int64(), 0);
}

TEST(Interpreter, CastsAmongNumbers) {
  const auto cast = [](Type to, const ExpressionPtr& arg, EvalMode mode = EvalMode::kLegacy) {
    return Compute(Op::kCast, to, {arg}, mode);
  };
  EXPECT_EQ(cast(kByte, Of(kInt, 300)).int64(), 44);
  EXPECT_TRUE(cast(kByte, Of(kInt, 300), EvalMode::kTry).is_null);
  EXPECT_EQ(Error(Op::kCast, kByte, {Of(kInt, 300)}), ErrorCode::kCastOverflow);
  EXPECT_EQ(cast(kInt, Of(1e20)).int64(), INT32_MAX);
  EXPECT_EQ(cast(kInt, Of(-3.9)).int64(), -3);
  EXPECT_EQ(cast(kLong, Of(std::nan(""))).int64(), 0);
  EXPECT_EQ(cast(kDouble, Of(kLong, 1L << 60)).number, 0x1p60);
  EXPECT_EQ(cast(kFloat, Of(0.1)).number, 0.1f);
  EXPECT_EQ(cast(kFloat, Of(kLong, (1L << 24) + 1)).number, 16777216.0);
  EXPECT_EQ(cast(kBool, Of(0.5)).int64(), 1);
  EXPECT_EQ(cast(kInt, Of(kBool, 1)).int64(), 1);
  const Type money = Type::Decimal(6, 2);
  EXPECT_EQ(cast(money, Of(kInt, 12)).int64(), 1200);
  EXPECT_TRUE(cast(money, Of(kInt, 10000)).is_null);
  EXPECT_EQ(cast(Type::Decimal(4, 1), Of(money, 1235)).int64(), 124);
  EXPECT_EQ(cast(Type::Decimal(4, 1), Of(money, -1235)).int64(), -124);
  EXPECT_EQ(cast(kInt, Of(money, -1299)).int64(), -12);
  EXPECT_EQ(cast(kDouble, Of(money, 10)).number, 0.1);
}

TEST(Interpreter, FloatsToDecimalsGoThroughTheirText) {
  const auto cast = [](double value, Type to) { return Compute(Op::kCast, to, {Of(value)}); };
  EXPECT_EQ(cast(1.005, Type::Decimal(5, 2)).int64(), 101);  // the double lies below 1.005
  EXPECT_EQ(cast(-0.125, Type::Decimal(5, 2)).int64(), -13);
  EXPECT_EQ(cast(1e20, Type::Decimal(38, 0)).integer / 1000000000, 100000000000);
  EXPECT_EQ(cast(0.0, Type::Decimal(5, 2)).int64(), 0);
  EXPECT_EQ(cast(1e-300, Type::Decimal(5, 2)).int64(), 0);
  EXPECT_EQ(cast(5e-39, Type::Decimal(38, 38)).int64(), 1);
  EXPECT_TRUE(cast(1e300, Type::Decimal(38, 0)).is_null);
  EXPECT_TRUE(cast(1000, Type::Decimal(5, 2)).is_null);
  EXPECT_TRUE(cast(std::nan(""), Type::Decimal(5, 2)).is_null);
  EXPECT_EQ(
      Compute(Op::kCast, Type::Decimal(5, 2), {MakeLiteral(kFloat, Value::Number(0.1f))}).int64(),
      10);
}

TEST(Interpreter, TimesAndTheirParts) {
  const int64_t day = 8035;  // 1992-01-01
  const Type ntz = Type::Of(TypeKind::kTimestampNtz);
  EXPECT_EQ(Compute(Op::kYear, kInt, {Of(kDate, day)}).int64(), 1992);
  EXPECT_EQ(Compute(Op::kMonth, kInt, {Of(kDate, day - 1)}).int64(), 12);
  EXPECT_EQ(Compute(Op::kDay, kInt, {Of(kDate, day - 1)}).int64(), 31);
  EXPECT_EQ(Compute(Op::kYear, kInt, {Of(ntz, -1)}).int64(), 1969);
  EXPECT_EQ(Compute(Op::kCast, ntz, {Of(kDate, day)}).int64(), day * 86400000000);
  EXPECT_EQ(Compute(Op::kCast, kDate, {Of(ntz, -1)}).int64(), -1);
  EXPECT_TRUE(Compute(Op::kYear, kInt, {Null(kDate)}).is_null);
}

TEST(Interpreter, CastsOfStringsAreRefused) {
  const auto cast = MakeNode(Op::kCast, kInt, true, {Of("12")});
  EXPECT_EQ(base::CodeOf(Evaluate(*cast, {}).status()), ErrorCode::kUnsupported);
}

TEST(Interpreter, ReadsColumns) {
  const auto sum = MakeNode(Op::kAdd, kInt, true, {plan::MakeColumn(1, kInt, true), Of(kInt, 1)});
  const std::vector<Value> row = {Value::Null(), Value::Integer(41)};
  EXPECT_EQ(Evaluate(*sum, row).ValueOrDie().int64(), 42);
}

TEST(Interpreter, FoldsWhatReadsNoColumn) {
  const auto constant = MakeNode(Op::kAdd, kInt, true, {Of(kInt, 1), Of(kInt, 2)});
  const auto column = plan::MakeColumn(0, kInt, true);
  const auto mixed = MakeNode(Op::kMultiply, kInt, true, {column, constant});
  const ExpressionPtr folded = FoldConstants(mixed);
  EXPECT_EQ(folded->arg(1).literal, Value::Integer(3));
  EXPECT_EQ(folded->args[0], column);
  EXPECT_EQ(FoldConstants(folded), folded);
  const auto fails = MakeNode(Op::kModulo, kInt, true, {Of(kInt, 1), Of(kInt, 0)}, EvalMode::kAnsi);
  EXPECT_EQ(FoldConstants(fails), fails);
}

TEST(Interpreter, PredicatesOverADictionary) {
  memory::MemoryBudget budget(1 << 30);
  auto dictionary = columns::Dictionary::Make(&budget).ValueOrDie();
  const std::vector<std::string_view> texts = {"MFGR#12", "MFGR#2", "", "MFGR#13"};
  ASSERT_TRUE(dictionary->Intern(texts).ok());
  const auto predicate =
      MakeNode(Op::kStartsWith, kBool, true, {plan::MakeColumn(3, kString, true), Of("MFGR#1")});
  std::vector<uint8_t> pass(4, 9);
  ASSERT_TRUE(EvaluateOverDictionary(*predicate, 3, *dictionary, 0, 2, pass.data()).ok());
  EXPECT_EQ(pass, (std::vector<uint8_t>{1, 0, 9, 9}));
  ASSERT_TRUE(EvaluateOverDictionary(*predicate, 3, *dictionary, 2, 4, pass.data()).ok());
  EXPECT_EQ(pass, (std::vector<uint8_t>{1, 0, 0, 1}));
}

}  // namespace
}  // namespace shadowvm::exec
