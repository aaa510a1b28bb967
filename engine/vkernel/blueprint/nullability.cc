// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/nullability.h"

#include <algorithm>

namespace shadowvm::vkernel {
namespace {

using plan::EvalMode;
using plan::Expression;
using plan::Op;

bool InputMayBeNull(int ordinal, const Blueprint& blueprint) {
  const Input& input = blueprint.inputs[ordinal];
  return input.is_payload ? blueprint.payloads[input.index].nullable
                          : blueprint.columns[input.index].layout.nullable;
}

bool AnyArgMayBeNull(const Expression& expression, const Blueprint& blueprint) {
  return std::any_of(expression.args.begin(), expression.args.end(),
                     [&](const auto& arg) { return MayBeNull(*arg, blueprint); });
}

bool CaseMayBeNull(const Expression& expression, const Blueprint& blueprint) {
  const size_t last = expression.args.size() - 1;
  for (size_t i = 1; i < last; i += 2) {
    if (MayBeNull(expression.arg(i), blueprint)) return true;
  }
  return MayBeNull(expression.arg(last), blueprint);
}

// True when the expression is null, not merely false, wherever the input is.
bool IsNullWhere(const Expression& expression, int input) {
  const auto is_null = [&](const auto& arg) { return IsNullWhere(*arg, input); };
  const auto& args = expression.args;
  switch (expression.op) {
    case Op::kColumn:
      return expression.column == input;
    case Op::kLiteral:
    case Op::kIsNull:
    case Op::kIsNotNull:
    case Op::kEqualNullSafe:
    case Op::kCase:
      return false;
    // One operand may decide without the other.
    case Op::kAnd:
    case Op::kOr:
    case Op::kCoalesce:
      return std::all_of(args.begin(), args.end(), is_null);
    default:
      return std::any_of(args.begin(), args.end(), is_null);
  }
}

}  // namespace

bool CanLackResult(const Expression& expression) {
  const columns::Type type = expression.type;
  switch (expression.op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kNegate:
      return type.is_decimal() || (type.is_integer() && expression.mode != EvalMode::kLegacy);
    case Op::kDivide:
    case Op::kModulo:
      return true;
    case Op::kCast: {
      const columns::Type from = expression.arg(0).type;
      if (from == type || plan::KeepsEveryInteger(from, type)) return false;
      return expression.mode != EvalMode::kLegacy || from.is_text() || type.is_decimal();
    }
    default:
      return false;
  }
}

bool MayBeNull(const Expression& expression, const Blueprint& blueprint) {
  switch (expression.op) {
    case Op::kColumn:
      return InputMayBeNull(expression.column, blueprint);
    case Op::kLiteral:
      return expression.literal.is_null;
    case Op::kIsNull:
    case Op::kIsNotNull:
    case Op::kEqualNullSafe:
      return false;
    case Op::kCase:
      return CaseMayBeNull(expression, blueprint);
    case Op::kCoalesce:
      return std::all_of(expression.args.begin(), expression.args.end(),
                         [&](const auto& arg) { return MayBeNull(*arg, blueprint); });
    default:
      return CanLackResult(expression) || AnyArgMayBeNull(expression, blueprint);
  }
}

bool RejectsNull(const Expression& expression, int input) {
  switch (expression.op) {
    case Op::kIsNotNull:
      return IsNullWhere(expression.arg(0), input);
    case Op::kAnd:
      return RejectsNull(expression.arg(0), input) || RejectsNull(expression.arg(1), input);
    case Op::kOr:
      return RejectsNull(expression.arg(0), input) && RejectsNull(expression.arg(1), input);
    default:
      return IsNullWhere(expression, input);
  }
}

}  // namespace shadowvm::vkernel
