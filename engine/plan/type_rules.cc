// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/type_rules.h"

#include <algorithm>

namespace shadowvm::plan {
namespace {

using columns::Type;
using columns::TypeKind;

constexpr int kMinAdjustedScale = 6;

Type Bounded(int precision, int scale) {
  return Type::Decimal(std::min(precision, kMaxPrecision), std::min(scale, kMaxPrecision));
}

// Spark's DecimalType.adjustPrecisionScale: whole digits first, but never fewer than 6 (or all) of
// the fraction.
Type Adjusted(int precision, int scale) {
  if (precision <= kMaxPrecision) return Type::Decimal(precision, scale);
  const int whole = precision - scale;
  const int least = std::min(scale, kMinAdjustedScale);
  return Type::Decimal(kMaxPrecision, std::max(kMaxPrecision - whole, least));
}

Type Result(int precision, int scale, bool allow_loss) {
  return allow_loss ? Adjusted(precision, scale) : Bounded(precision, scale);
}

Type DivideResult(Type left, Type right, bool allow_loss) {
  const int whole = left.precision - left.scale + right.scale;
  const int scale = std::max(kMinAdjustedScale, left.scale + right.precision + 1);
  if (allow_loss) return Adjusted(whole + scale, scale);
  int bounded_scale = std::min(kMaxPrecision, scale);
  const int bounded_whole = std::min(kMaxPrecision, whole);
  const int excess = bounded_whole + bounded_scale - kMaxPrecision;
  if (excess <= 0) return Bounded(bounded_whole + bounded_scale, bounded_scale);
  bounded_scale -= excess / 2 + 1;
  return Bounded(kMaxPrecision, bounded_scale);
}

int WholeDigits(Type decimal) { return decimal.precision - decimal.scale; }

bool IsTime(Type type) {
  return type.kind == TypeKind::kTimestamp || type.kind == TypeKind::kTimestampNtz;
}

bool IsDateOrTime(Type type) { return type.kind == TypeKind::kDate || IsTime(type); }

bool ArithmeticCanFail(const Expression& node) {
  if (node.op == Op::kDivide || node.op == Op::kModulo) return true;
  if (node.type.is_float()) return false;
  if (!node.type.is_decimal() || node.args.size() < 2) return true;
  // Below 38 digits the result type holds every result.
  const Type exact = DecimalResult(node.op, node.arg(0).type, node.arg(1).type, true);
  return exact.precision >= kMaxPrecision;
}

}  // namespace

bool IsNumeric(Type type) { return type.is_integer() || type.is_float() || type.is_decimal(); }

Type DecimalOf(Type integer) {
  switch (integer.kind) {
    case TypeKind::kInt8:
      return Type::Decimal(3, 0);
    case TypeKind::kInt16:
      return Type::Decimal(5, 0);
    case TypeKind::kInt32:
      return Type::Decimal(10, 0);
    case TypeKind::kInt64:
      return Type::Decimal(20, 0);
    default:
      return integer;
  }
}

std::optional<Type> CommonNumber(Type left, Type right, bool ansi) {
  if (!IsNumeric(left) || !IsNumeric(right)) return std::nullopt;
  if (left == right) return left;
  if (left.is_float() || right.is_float()) {
    if (left.is_decimal() || right.is_decimal()) return Type::Of(TypeKind::kDouble);
    const Type wider = left.kind > right.kind ? left : right;
    return ansi ? Type::Of(TypeKind::kDouble) : wider;
  }
  if (left.is_decimal() || right.is_decimal()) {
    const Type a = DecimalOf(left);
    const Type b = DecimalOf(right);
    const int scale = std::max(a.scale, b.scale);
    return Bounded(std::max(WholeDigits(a), WholeDigits(b)) + scale, scale);
  }
  return left.kind > right.kind ? left : right;
}

std::optional<Type> CommonType(Type left, Type right, bool ansi) {
  if (left == right) return left;
  if (IsDateOrTime(left) && IsDateOrTime(right)) {
    if (left.kind == TypeKind::kDate) return right;
    if (right.kind == TypeKind::kDate) return left;
    return Type::Of(TypeKind::kTimestamp);
  }
  return CommonNumber(left, right, ansi);
}

Type DecimalOperand(Type left, Type right) {
  const int scale = std::max(left.scale, right.scale);
  return Bounded(std::max(WholeDigits(left), WholeDigits(right)) + scale, scale);
}

Type DecimalResult(Op op, Type left, Type right, bool allow_loss) {
  const int scale = std::max(left.scale, right.scale);
  switch (op) {
    case Op::kMultiply:
      return Result(left.precision + right.precision + 1, left.scale + right.scale, allow_loss);
    case Op::kDivide:
      return DivideResult(left, right, allow_loss);
    case Op::kModulo:
      return Result(std::min(WholeDigits(left), WholeDigits(right)) + scale, scale, allow_loss);
    default:
      return Result(std::max(WholeDigits(left), WholeDigits(right)) + scale + 1, scale, allow_loss);
  }
}

bool CanCast(Type from, Type to) {
  if (from == to || to.kind == TypeKind::kString || from.kind == TypeKind::kString) return true;
  const bool from_number = IsNumeric(from) || from.kind == TypeKind::kBool;
  const bool to_number = IsNumeric(to) || to.kind == TypeKind::kBool;
  if (from_number && to_number) return true;
  if (IsDateOrTime(from) && IsDateOrTime(to)) return true;
  if (from.kind == TypeKind::kTimestamp) return to_number;
  if (to.kind == TypeKind::kTimestamp) return from_number;
  return from.is_integer() && to.kind == TypeKind::kBinary;
}

bool IsLossless(Type from, Type to) {
  if (from == to) return true;
  if (from.kind == TypeKind::kBool)
    return IsNumeric(to) && !(to.is_decimal() && WholeDigits(to) < 1);
  if (from.is_integer() && to.is_integer()) return from.kind <= to.kind;
  if (to.is_decimal() && (from.is_integer() || from.is_decimal())) {
    const Type exact = DecimalOf(from);
    return exact.scale <= to.scale && WholeDigits(exact) <= WholeDigits(to);
  }
  if (to.kind == TypeKind::kDouble)
    return from.kind == TypeKind::kFloat || from.kind <= TypeKind::kInt32;
  return to.kind == TypeKind::kFloat && from.kind <= TypeKind::kInt16;
}

bool LegacyCastCanGiveNull(Type from, Type to) {
  if (IsLossless(from, to)) return false;
  if (from.kind == TypeKind::kString) return to.kind != TypeKind::kBinary;
  if (!to.is_decimal()) return false;
  // Digits of the fraction that go may carry into one more whole digit: 9.99 as decimal(2,1)
  // is 10.0.
  if (!from.is_integer() && !from.is_decimal()) return true;
  const Type exact = DecimalOf(from);
  const int carry = exact.scale > to.scale ? 1 : 0;
  return WholeDigits(exact) + carry > WholeDigits(to);
}

bool CanFail(const Expression& node) {
  switch (node.op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
      return ArithmeticCanFail(node);
    case Op::kNegate:
      return node.type.is_integer();
    case Op::kCast: {
      const Type from = node.arg(0).type;
      if (node.type.kind == TypeKind::kString || node.type.kind == TypeKind::kBool) {
        return from.kind == TypeKind::kString && from != node.type;
      }
      if (node.type.is_float()) return from.kind == TypeKind::kString;
      return !IsLossless(from, node.type);
    }
    default:
      return false;
  }
}

}  // namespace shadowvm::plan
