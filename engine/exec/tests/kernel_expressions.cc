// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/tests/kernel_expressions.h"

#include "engine/exec/tests/kernel_values.h"

namespace shadowvm::exec {
namespace {

using client::Col;
using client::Expr;
using columns::Type;
using columns::TypeKind;
using plan::Op;

constexpr std::pair<Op, v1::Operator> kArithmetic[] = {{Op::kAdd, v1::OPERATOR_ADD},
                                                       {Op::kSubtract, v1::OPERATOR_SUBTRACT},
                                                       {Op::kMultiply, v1::OPERATOR_MULTIPLY},
                                                       {Op::kDivide, v1::OPERATOR_DIVIDE},
                                                       {Op::kModulo, v1::OPERATOR_MODULO}};
constexpr std::pair<Op, v1::Operator> kComparisons[] = {
    {Op::kEqual, v1::OPERATOR_EQUAL},
    {Op::kNotEqual, v1::OPERATOR_NOT_EQUAL},
    {Op::kLess, v1::OPERATOR_LESS},
    {Op::kLessEqual, v1::OPERATOR_LESS_EQUAL},
    {Op::kGreater, v1::OPERATOR_GREATER},
    {Op::kGreaterEqual, v1::OPERATOR_GREATER_EQUAL},
    {Op::kEqualNullSafe, v1::OPERATOR_EQUAL_NULL_SAFE}};
constexpr std::pair<Op, v1::Operator> kDateParts[] = {
    {Op::kYear, v1::OPERATOR_YEAR}, {Op::kMonth, v1::OPERATOR_MONTH}, {Op::kDay, v1::OPERATOR_DAY}};

Expr Column(Type type, bool nullable) { return Col(ColumnName(type, nullable)); }

Expr Call(v1::Operator op, const std::vector<Expr>& args, v1::EvalMode mode) {
  v1::Expression proto;
  proto.mutable_call()->set_operator_(op);
  proto.mutable_call()->set_eval_mode(mode);
  for (const Expr& arg : args) *proto.mutable_call()->add_args() = arg.proto();
  return Expr(std::move(proto));
}

Expr Cast(const Expr& arg, Type type, v1::EvalMode mode) {
  v1::Expression proto;
  *proto.mutable_cast()->mutable_arg() = arg.proto();
  *proto.mutable_cast()->mutable_type() = ToProto(type);
  proto.mutable_cast()->set_eval_mode(mode);
  return Expr(std::move(proto));
}

Expr Literal(Type type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return Expr(true);
    case TypeKind::kFloat:
      return Expr(1.5F);
    case TypeKind::kDouble:
      return Expr(-0.0);
    case TypeKind::kDecimal:
      return client::DecimalLit(-7, type.precision, type.scale);
    case TypeKind::kDate:
      return client::DateLit(2000, 2, 29);
    case TypeKind::kString:
      return Expr("abc");
    case TypeKind::kInt64:
      return Expr(-1L);
    default:
      return Expr(1);
  }
}

class Maker {
 public:
  explicit Maker(v1::EvalMode mode) : mode_(mode) {}

  void AddArithmetic() {
    for (const auto& [op, code] : kArithmetic) {
      for (const auto& [left, right] : Pairs()) {
        if (left.is_text() || right.is_text()) continue;
        Add(op, Call(code, {Next(left), Next(right)}, mode_));
      }
    }
    for (const Type type : TestTypes()) {
      Add(Op::kNegate, Call(v1::OPERATOR_NEGATE, {Next(type)}, mode_));
    }
  }

  void AddCasts() {
    for (const Type from : TestTypes()) {
      for (const Type to : TestTypes()) {
        if (from != to) Add(Op::kCast, Cast(Next(from), to, mode_));
      }
    }
  }

  void AddComparisons() {
    for (const auto& [op, code] : kComparisons) {
      for (const auto& [left, right] : Pairs()) {
        Add(op, Call(code, {Next(left), Next(right)}, mode_));
      }
      for (const Type type : TestTypes()) {
        Add(op, Call(code, {Next(type), Literal(type)}, mode_));
      }
      Add(op, Call(code, {Col("word"), Col("string")}, mode_));
    }
  }

  void AddLogic() {
    const Type flag = Type::Of(TypeKind::kBool);
    for (const bool left : {false, true}) {
      for (const bool right : {false, true}) {
        const Expr a = Column(flag, left);
        const Expr b = Call(v1::OPERATOR_LESS, {Col("int32"), Column(Int32(), right)}, mode_);
        Add(Op::kAnd, a && b);
        Add(Op::kOr, a || b);
        Add(Op::kNot, !(a && !(b || Col("maybe_boolean"))));
        Add(Op::kAnd, a && client::NullLit(client::BoolType()));
        Add(Op::kOr, client::NullLit(client::BoolType()) || b);
      }
    }
    for (const Type type : TestTypes()) {
      Add(Op::kIsNull, Next(type).IsNull());
      Add(Op::kIsNotNull, Next(type).IsNotNull());
    }
  }

  void AddChoices() {
    for (const Type type : TestTypes()) {
      const Expr guarded = Call(v1::OPERATOR_DIVIDE, {Next(type), Next(type)}, mode_);
      Add(Op::kCase, client::Case()
                         .When(Col("maybe_boolean"), Next(type))
                         .When(Next(type) == Literal(type), Next(type))
                         .Else(Literal(type)));
      Add(Op::kCase, client::Case().When(Col("maybe_int32") > 3, Next(type)).End());
      Add(Op::kCase, client::Case().When(Next(type) != Literal(type), guarded).End());
      Add(Op::kCoalesce, client::Coalesce({Column(type, true), Next(type), Literal(type)}));
      Add(Op::kCoalesce, client::Coalesce({Column(type, true), client::NullLit(ToProto(type))}));
      Add(Op::kCoalesce, client::Coalesce({Column(type, true), guarded}));
      const Expr other = type.kind == TypeKind::kString ? Expr("ab") : Literal(type);
      Add(Op::kIn, Next(type).In({Literal(type), other}));
      Add(Op::kIn, Next(type).In({other, client::NullLit(ToProto(type)), other}));
      Add(Op::kIn, Next(type).NotIn({Literal(type), other}));
    }
    // One condition after the other, null or not.
    client::CaseBuilder conditions;
    int result = 0;
    for (const Type type : TestTypes()) {
      if (type.kind == TypeKind::kTimestamp || type.kind == TypeKind::kTimestampNtz ||
          type.kind == TypeKind::kBinary) {
        continue;
      }
      conditions = conditions.When(Column(type, true) < Literal(type) && Col("maybe_boolean"),
                                   Expr(++result));
    }
    Add(Op::kCase, conditions.End());
  }

  void AddTexts() {
    for (const char* column : {"string", "maybe_string", "word"}) {
      for (const char* pattern : {"%", "_", "__", "a%", "%b", "%b%", "a_c%", "%a%b%", "", "a\\%b",
                                  "%é", "_日%", "x%y", "%\\_%", "%ab_d%"}) {
        Add(Op::kLike, Col(column).Like(pattern));
      }
      Add(Op::kLike, Col(column).NotLike("a#_%", "#"));
      for (const char* part : {"", "a", "abc", "日本", "xy"}) {
        Add(Op::kStartsWith, Col(column).StartsWith(part));
        Add(Op::kEndsWith, Col(column).EndsWith(part));
        Add(Op::kContains, Col(column).Contains(part));
      }
      Add(Op::kContains, Col(column).Contains(client::NullLit(client::StringType())));
      for (const int first : {-3, 0, 1, 2, 9}) {
        for (const int length : {-1, 0, 1, 3, INT32_MAX}) {
          Add(Op::kSubstring, Col(column).Substring(first, length));
        }
      }
    }
  }

  void AddDateParts() {
    for (const auto& [op, code] : kDateParts) {
      for (const Type type : TestTypes()) {
        if (!type.is_text()) Add(op, Call(code, {Next(type)}, mode_));
      }
    }
  }

  std::vector<TestExpression> Take() { return std::move(expressions_); }

 private:
  static Type Int32() { return Type::Of(TypeKind::kInt32); }

  void Add(Op op, Expr expr) { expressions_.push_back({op, std::move(expr)}); }

  // A column of the type, with nulls or without in turn: over many expressions both sides meet in
  // every way.
  Expr Next(Type type) { return Column(type, (next_++ * 7 / 3) % 2 == 0); }

  // Each type with itself, and neighbours that must be brought to one type.
  static std::vector<std::pair<Type, Type>> Pairs() {
    std::vector<std::pair<Type, Type>> pairs;
    const auto& types = TestTypes();
    for (size_t i = 0; i < types.size(); ++i) {
      pairs.emplace_back(types[i], types[i]);
      pairs.emplace_back(types[i], types[(i + 1) % types.size()]);
      if (!types[i].is_decimal()) continue;
      for (const TypeKind kind : {TypeKind::kInt8, TypeKind::kInt64, TypeKind::kDouble}) {
        pairs.emplace_back(types[i], Type::Of(kind));
      }
      pairs.emplace_back(Type::Decimal(5, 2), types[i]);
    }
    return pairs;
  }

  v1::EvalMode mode_;
  int next_ = 0;
  std::vector<TestExpression> expressions_;
};

}  // namespace

v1::Type ToProto(Type type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return client::BoolType();
    case TypeKind::kInt8:
      return client::Int8Type();
    case TypeKind::kInt16:
      return client::Int16Type();
    case TypeKind::kInt32:
      return client::Int32Type();
    case TypeKind::kInt64:
      return client::Int64Type();
    case TypeKind::kFloat:
      return client::FloatType();
    case TypeKind::kDouble:
      return client::DoubleType();
    case TypeKind::kDecimal:
      return client::DecimalType(type.precision, type.scale);
    case TypeKind::kDate:
      return client::DateType();
    case TypeKind::kTimestamp:
      return client::TimestampType();
    case TypeKind::kTimestampNtz:
      return client::TimestampNtzType();
    case TypeKind::kString:
      return client::StringType();
    case TypeKind::kBinary:
      return client::BinaryType();
  }
  return {};
}

std::vector<TestExpression> ExpressionsOf(v1::EvalMode mode) {
  Maker maker(mode);
  maker.AddArithmetic();
  maker.AddCasts();
  maker.AddChoices();
  // The rest cannot fail: one mode is enough.
  if (mode == v1::EVAL_MODE_LEGACY) {
    maker.AddComparisons();
    maker.AddLogic();
    maker.AddTexts();
    maker.AddDateParts();
  }
  return maker.Take();
}

}  // namespace shadowvm::exec
