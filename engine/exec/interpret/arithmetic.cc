// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/interpret/operations.h"
#include "engine/kernels/common/attempt.h"

namespace shadowvm::exec {
namespace {

using base::ErrorCode;
using columns::TypeKind;
using kernels::i128;
using kernels::i64;
using plan::EvalMode;
using plan::Expression;
using plan::Op;

template <class T>
base::Result<Value> WrapInteger(Op op, i64 a, i64 b) {
  switch (op) {
    case Op::kAdd:
      return Value::Integer(kernels::wrap_add<T>(a, b));
    case Op::kSubtract:
      return Value::Integer(kernels::wrap_subtract<T>(a, b));
    case Op::kMultiply:
      return Value::Integer(kernels::wrap_multiply<T>(a, b));
    default:
      return Value::Integer(kernels::wrap_negate<T>(a));
  }
}

template <class T>
bool TryInteger(Op op, i64 a, i64 b, i64* out) {
  switch (op) {
    case Op::kAdd:
      return kernels::try_add<T>(a, b, out);
    case Op::kSubtract:
      return kernels::try_subtract<T>(a, b, out);
    case Op::kMultiply:
      return kernels::try_multiply<T>(a, b, out);
    default:
      return kernels::try_negate<T>(a, out);
  }
}

template <class T>
base::Result<Value> IntegerOf(const Expression& expression, i64 a, i64 b) {
  i64 result = 0;
  if (expression.op == Op::kModulo) {
    if (!kernels::try_modulo(a, b, &result)) return Missing(expression, ErrorCode::kDivideByZero);
    return Value::Integer(result);
  }
  if (expression.mode == EvalMode::kLegacy) return WrapInteger<T>(expression.op, a, b);
  if (!TryInteger<T>(expression.op, a, b, &result)) {
    return Missing(expression, ErrorCode::kOverflow);
  }
  return Value::Integer(result);
}

base::Result<Value> EvaluateInteger(const Expression& expression, i64 a, i64 b) {
  switch (expression.type.kind) {
    case TypeKind::kInt8:
      return IntegerOf<kernels::i8>(expression, a, b);
    case TypeKind::kInt16:
      return IntegerOf<kernels::i16>(expression, a, b);
    case TypeKind::kInt32:
      return IntegerOf<kernels::i32>(expression, a, b);
    default:
      return IntegerOf<i64>(expression, a, b);
  }
}

template <class F>
base::Result<Value> FloatOf(const Expression& expression, F a, F b) {
  F modulo = 0;
  double quotient = 0;
  switch (expression.op) {
    case Op::kAdd:
      return Value::Number(a + b);
    case Op::kSubtract:
      return Value::Number(a - b);
    case Op::kMultiply:
      return Value::Number(a * b);
    case Op::kNegate:
      return Value::Number(-a);
    case Op::kDivide:
      if (!kernels::try_divide(a, b, &quotient)) break;
      return Value::Number(static_cast<F>(quotient));
    default:
      if (!kernels::try_modulo(a, b, &modulo)) break;
      return Value::Number(modulo);
  }
  return Missing(expression, ErrorCode::kDivideByZero);
}

base::Result<Value> EvaluateDecimal(const Expression& expression, i128 a, i128 b) {
  const columns::Type type = expression.type;
  if (expression.op == Op::kNegate) return Value::Integer(-a);
  const auto scale = [&](int arg) { return expression.arg(arg).type.scale; };
  i128 result = 0;
  bool fits = false;
  switch (expression.op) {
    case Op::kAdd:
      fits = kernels::try_decimal_add(a, b, type.precision, &result);
      break;
    case Op::kSubtract:
      fits = kernels::try_decimal_subtract(a, b, type.precision, &result);
      break;
    case Op::kMultiply:
      fits = kernels::try_decimal_multiply(a, b, scale(0) + scale(1), type.precision, type.scale,
                                           &result);
      break;
    case Op::kDivide:
      if (b == 0) return Missing(expression, ErrorCode::kDivideByZero);
      fits = kernels::try_decimal_divide(a, scale(0), b, scale(1), type.precision, type.scale,
                                         &result);
      break;
    default:
      if (b == 0) return Missing(expression, ErrorCode::kDivideByZero);
      fits = kernels::try_modulo(a, b, &result);
  }
  if (!fits) return Missing(expression, ErrorCode::kOverflow);
  return Value::Integer(result);
}

}  // namespace

base::Result<Value> Missing(const Expression& expression, ErrorCode error) {
  if (expression.mode != EvalMode::kAnsi) return Value::Null();
  return base::MakeError(error, plan::ToString(expression));
}

base::Result<Value> EvaluateArithmetic(const Expression& expression, const Value& left,
                                       const Value& right) {
  if (expression.type.is_decimal()) {
    return EvaluateDecimal(expression, left.integer, right.integer);
  }
  if (expression.type.kind == TypeKind::kFloat) {
    return FloatOf<float>(expression, static_cast<float>(left.number),
                          static_cast<float>(right.number));
  }
  if (expression.type.kind == TypeKind::kDouble) {
    return FloatOf<double>(expression, left.number, right.number);
  }
  return EvaluateInteger(expression, left.int64(), right.int64());
}

}  // namespace shadowvm::exec
