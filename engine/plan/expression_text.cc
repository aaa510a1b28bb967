// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <array>
#include <cstdio>

#include "engine/plan/expression.h"

// Text forms of expressions, for explain, errors and tests.
namespace shadowvm::plan {
namespace {

using columns::Type;
using columns::TypeKind;

std::string IntegerText(__int128 value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  while (value != 0) {
    const int digit = static_cast<int>(value % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (negative ? -digit : digit)));
    value /= 10;
  }
  return negative ? "-" + digits : digits;
}

std::string DecimalText(__int128 value, int scale) {
  std::string text = IntegerText(value);
  if (scale == 0) return text;
  const size_t sign = value < 0 ? 1 : 0;
  if (text.size() - sign <= static_cast<size_t>(scale)) {
    text.insert(sign, scale + 1 - (text.size() - sign), '0');
  }
  text.insert(text.size() - scale, ".");
  return text;
}

std::string NumberText(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

std::string_view InfixOf(Op op) {
  switch (op) {
    case Op::kAdd:
      return "+";
    case Op::kSubtract:
      return "-";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    case Op::kModulo:
      return "%";
    case Op::kEqual:
      return "=";
    case Op::kNotEqual:
      return "<>";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    case Op::kEqualNullSafe:
      return "<=>";
    case Op::kAnd:
      return "and";
    case Op::kOr:
      return "or";
    default:
      return {};
  }
}

std::string ColumnText(const Expression& column, const columns::Schema* schema) {
  if (schema != nullptr && column.column < schema->num_fields()) {
    return schema->fields[column.column].name;
  }
  return "#" + std::to_string(column.column);
}

std::string ListText(const Expression& call, const columns::Schema* schema) {
  std::string text;
  for (const auto& arg : call.args) {
    if (!text.empty()) text += ", ";
    text += ToString(*arg, schema);
  }
  return text;
}

}  // namespace

std::string ToString(const Literal& literal, Type type) {
  if (literal.is_null) return "null";
  if (type.is_text()) return "'" + literal.text + "'";
  if (type.is_float()) return NumberText(literal.number);
  if (type.kind == TypeKind::kBool) return literal.integer != 0 ? "true" : "false";
  if (type.is_decimal()) return DecimalText(literal.integer, type.scale);
  if (type.is_integer()) return IntegerText(literal.integer);
  return type.ToString() + ":" + IntegerText(literal.integer);
}

std::string ToString(const Expression& expression, const columns::Schema* schema) {
  if (expression.is_column()) return ColumnText(expression, schema);
  if (expression.is_literal()) return ToString(expression.literal, expression.type);
  const std::string_view infix = InfixOf(expression.op);
  if (!infix.empty()) {
    return "(" + ToString(expression.arg(0), schema) + " " + std::string(infix) + " " +
           ToString(expression.arg(1), schema) + ")";
  }
  std::string text = std::string(InfoOf(expression.op).name) + "(" + ListText(expression, schema);
  if (expression.op == Op::kCast) text += " as " + expression.type.ToString();
  return text + ")";
}

}  // namespace shadowvm::plan
