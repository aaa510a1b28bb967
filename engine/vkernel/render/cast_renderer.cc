// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/render/expression_renderer.h"

// Casts: one small function per kind of target.
namespace shadowvm::vkernel {
namespace {

using columns::Type;
using columns::TypeKind;
using plan::EvalMode;
using plan::Expression;

std::string Number(int number) { return std::to_string(number); }

// Scale of a number that a decimal can be made of: integers have none.
int ScaleOf(Type type) { return type.is_decimal() ? type.scale : 0; }

// A cast that changes neither value nor class.
bool IsIdentity(Type from, Type to) {
  if (from == to) return true;
  if (plan::KeepsEveryInteger(from, to)) return true;
  return from.is_text() && to.is_text();
}

}  // namespace

Value ExpressionRenderer::RenderCast(const Expression& expression) {
  const Type from = expression.arg(0).type;
  const Type to = expression.type;
  const Value value = Render(expression.arg(0));
  if (IsIdentity(from, to)) return value;
  if (to.kind == TypeKind::kBool) return {"to_bool(" + value.text + ")", value.null};
  if (to.is_decimal()) return CastToDecimal(expression, value);
  if (to.is_float()) return CastToFloat(expression, value);
  if (to.is_integer()) return CastToInteger(expression, value);
  return CastToTime(expression, value);
}

Value ExpressionRenderer::CastToDecimal(const Expression& expression, const Value& value) {
  const Type from = expression.arg(0).type;
  const Type to = expression.type;
  const std::string call_text = "try_to_decimal(" + value.text + ", " + Number(ScaleOf(from)) +
                                ", " + Number(to.scale) + ", " + Number(to.precision) + ", ";
  return RenderFallible(expression, call_text, value.null, "kErrorOverflow");
}

Value ExpressionRenderer::CastToFloat(const Expression& expression, const Value& value) {
  const Type from = expression.arg(0).type;
  const std::string number =
      from.is_decimal() ? "decimal_to_double(" + value.text + ", " + Number(from.scale) + ")"
                        : value.text;
  if (from.is_decimal() && expression.type.kind == TypeKind::kDouble) return {number, value.null};
  return {std::string(NameOf(ClassOf(expression.type))) + "(" + number + ")", value.null};
}

Value ExpressionRenderer::CastToInteger(const Expression& expression, const Value& value) {
  const Type from = expression.arg(0).type;
  const std::string width = std::string("<") + StorageName(expression.type) + ">(";
  if (from.kind == TypeKind::kBool) return {"i64(" + value.text + ")", value.null};
  std::string name = from.is_float() ? "double_to" : from.is_decimal() ? "decimal_to" : "to";
  const std::string arguments = value.text + (from.is_decimal() ? ", " + Number(from.scale) : "");
  if (expression.mode == EvalMode::kLegacy) {
    if (name == "to") name = "wrap_to";
    return {name + width + arguments + ")", value.null};
  }
  return RenderFallible(expression, "try_" + name + width + arguments + ", ", value.null,
                        "kErrorCastOverflow");
}

Value ExpressionRenderer::CastToTime(const Expression& expression, const Value& value) {
  const Type from = expression.arg(0).type;
  if (expression.type.kind == TypeKind::kDate) {
    return {"days_of_micros(" + value.text + ")", value.null};
  }
  // Between the two kinds of timestamp the session's zone decides; only UTC is let through, where
  // they agree.
  if (from.kind != TypeKind::kDate) return value;
  return {"(" + value.text + " * kMicrosOfDay)", value.null};
}

}  // namespace shadowvm::vkernel
