// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/client/expression.h"

#include <chrono>
#include <cstring>
#include <initializer_list>

namespace shadowvm::client {
namespace {

v1::Expression Typed(const v1::Type& type) {
  v1::Expression proto;
  *proto.mutable_literal()->mutable_type() = type;
  return proto;
}

v1::Expression Integer(const v1::Type& type, int64_t value) {
  v1::Expression proto = Typed(type);
  proto.mutable_literal()->set_int_value(value);
  return proto;
}

v1::Expression Number(const v1::Type& type, double value) {
  v1::Expression proto = Typed(type);
  proto.mutable_literal()->set_double_value(value);
  return proto;
}

v1::Expression Text(std::string_view value) {
  v1::Expression proto = Typed(StringType());
  proto.mutable_literal()->set_string_value(std::string(value));
  return proto;
}

Expr Call(v1::Operator op, std::initializer_list<const Expr*> args) {
  v1::Expression proto;
  proto.mutable_call()->set_operator_(op);
  for (const Expr* arg : args) *proto.mutable_call()->add_args() = arg->proto();
  return Expr(std::move(proto));
}

// An item that is no constant has no wire form in a list: the list then holds a literal without a
// type, which the planner refuses.
Expr MakeIn(const Expr& value, const std::vector<Expr>& items, bool negated) {
  v1::Expression proto;
  *proto.mutable_in_list()->mutable_value() = value.proto();
  for (const Expr& item : items) *proto.mutable_in_list()->add_items() = item.proto().literal();
  proto.mutable_in_list()->set_negated(negated);
  return Expr(std::move(proto));
}

Expr MakeLike(const Expr& value, std::string_view pattern, std::string_view escape, bool negated) {
  v1::Expression proto;
  v1::Like* like = proto.mutable_like();
  *like->mutable_value() = value.proto();
  like->set_pattern(std::string(pattern));
  like->set_escape(std::string(escape));
  like->set_negated(negated);
  return Expr(std::move(proto));
}

Expr MakeCast(const Expr& value, const v1::Type& type, v1::EvalMode mode) {
  v1::Expression proto;
  *proto.mutable_cast()->mutable_arg() = value.proto();
  *proto.mutable_cast()->mutable_type() = type;
  proto.mutable_cast()->set_eval_mode(mode);
  return Expr(std::move(proto));
}

}  // namespace

Expr::Expr(bool value) : proto_(Typed(BoolType())) {
  proto_.mutable_literal()->set_bool_value(value);
}
Expr::Expr(int value) : proto_(Integer(Int32Type(), value)) {}
Expr::Expr(long value) : proto_(Integer(Int64Type(), value)) {}
Expr::Expr(long long value) : proto_(Integer(Int64Type(), value)) {}
Expr::Expr(float value) : proto_(Number(FloatType(), value)) {}
Expr::Expr(double value) : proto_(Number(DoubleType(), value)) {}
Expr::Expr(const char* value) : proto_(Text(value)) {}
Expr::Expr(std::string_view value) : proto_(Text(value)) {}
Expr::Expr(const std::string& value) : proto_(Text(value)) {}

Expr Expr::Between(const Expr& low, const Expr& high) const {
  return Call(v1::OPERATOR_BETWEEN, {this, &low, &high});
}
Expr Expr::In(const std::vector<Expr>& items) const { return MakeIn(*this, items, false); }
Expr Expr::NotIn(const std::vector<Expr>& items) const { return MakeIn(*this, items, true); }
Expr Expr::IsNull() const { return Call(v1::OPERATOR_IS_NULL, {this}); }
Expr Expr::IsNotNull() const { return Call(v1::OPERATOR_IS_NOT_NULL, {this}); }
Expr Expr::EqualNullSafe(const Expr& other) const {
  return Call(v1::OPERATOR_EQUAL_NULL_SAFE, {this, &other});
}
Expr Expr::Like(std::string_view pattern, std::string_view escape) const {
  return MakeLike(*this, pattern, escape, false);
}
Expr Expr::NotLike(std::string_view pattern, std::string_view escape) const {
  return MakeLike(*this, pattern, escape, true);
}
Expr Expr::StartsWith(const Expr& prefix) const {
  return Call(v1::OPERATOR_STARTS_WITH, {this, &prefix});
}
Expr Expr::EndsWith(const Expr& suffix) const {
  return Call(v1::OPERATOR_ENDS_WITH, {this, &suffix});
}
Expr Expr::Contains(const Expr& part) const { return Call(v1::OPERATOR_CONTAINS, {this, &part}); }
Expr Expr::Substring(const Expr& first, const Expr& length) const {
  return Call(v1::OPERATOR_SUBSTRING, {this, &first, &length});
}
Expr Expr::Cast(const v1::Type& type) const {
  return MakeCast(*this, type, v1::EVAL_MODE_UNSPECIFIED);
}
Expr Expr::TryCast(const v1::Type& type) const { return MakeCast(*this, type, v1::EVAL_MODE_TRY); }

Expr Col(std::string_view name) {
  v1::Expression proto;
  proto.mutable_column()->set_name(std::string(name));
  return Expr(std::move(proto));
}

Expr NullLit(const v1::Type& type) { return Expr(Typed(type)); }

Expr DateLit(int year, int month, int day) {
  const std::chrono::sys_days date = std::chrono::year(year) /
                                     std::chrono::month(static_cast<unsigned>(month)) /
                                     std::chrono::day(static_cast<unsigned>(day));
  return Expr(Integer(DateType(), date.time_since_epoch().count()));
}

Expr DecimalLit(__int128 unscaled, int precision, int scale) {
  v1::Expression proto = Typed(DecimalType(precision, scale));
  std::string bytes(sizeof(unscaled), '\0');
  std::memcpy(bytes.data(), &unscaled, sizeof(unscaled));
  proto.mutable_literal()->set_decimal_value(std::move(bytes));
  return Expr(std::move(proto));
}

Expr operator+(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_ADD, {&left, &right});
}
Expr operator-(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_SUBTRACT, {&left, &right});
}
Expr operator*(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_MULTIPLY, {&left, &right});
}
Expr operator/(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_DIVIDE, {&left, &right});
}
Expr operator%(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_MODULO, {&left, &right});
}
Expr operator-(const Expr& arg) { return Call(v1::OPERATOR_NEGATE, {&arg}); }
Expr operator==(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_EQUAL, {&left, &right});
}
Expr operator!=(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_NOT_EQUAL, {&left, &right});
}
Expr operator<(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_LESS, {&left, &right});
}
Expr operator<=(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_LESS_EQUAL, {&left, &right});
}
Expr operator>(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_GREATER, {&left, &right});
}
Expr operator>=(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_GREATER_EQUAL, {&left, &right});
}
Expr operator&&(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_AND, {&left, &right});
}
Expr operator||(const Expr& left, const Expr& right) {
  return Call(v1::OPERATOR_OR, {&left, &right});
}
Expr operator!(const Expr& arg) { return Call(v1::OPERATOR_NOT, {&arg}); }

Expr Coalesce(const std::vector<Expr>& args) {
  v1::Expression proto;
  proto.mutable_call()->set_operator_(v1::OPERATOR_COALESCE);
  for (const Expr& arg : args) *proto.mutable_call()->add_args() = arg.proto();
  return Expr(std::move(proto));
}

Expr If(const Expr& condition, const Expr& then, const Expr& otherwise) {
  return Call(v1::OPERATOR_IF, {&condition, &then, &otherwise});
}
Expr Year(const Expr& date) { return Call(v1::OPERATOR_YEAR, {&date}); }
Expr Month(const Expr& date) { return Call(v1::OPERATOR_MONTH, {&date}); }
Expr Day(const Expr& date) { return Call(v1::OPERATOR_DAY, {&date}); }

CaseBuilder CaseBuilder::When(const Expr& condition, const Expr& value) const {
  CaseBuilder next = *this;
  v1::Case::Branch* branch = next.proto_.mutable_case_()->add_branches();
  *branch->mutable_condition() = condition.proto();
  *branch->mutable_value() = value.proto();
  return next;
}

Expr CaseBuilder::Else(const Expr& value) const {
  v1::Expression proto = proto_;
  *proto.mutable_case_()->mutable_otherwise() = value.proto();
  return Expr(std::move(proto));
}

Expr CaseBuilder::End() const { return Expr(proto_); }

}  // namespace shadowvm::client
