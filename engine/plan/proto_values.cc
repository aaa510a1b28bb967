// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/proto_values.h"

#include <cstring>
#include <string>
#include <utility>

#include "engine/plan/literal_cast.h"
#include "engine/plan/type_rules.h"

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;
using columns::Type;
using columns::TypeKind;

constexpr size_t kDecimalBytes = 16;

Result<Type> DecimalFromProto(const v1::Type& type) {
  if (type.precision() < 1 || type.precision() > kMaxPrecision || type.scale() > type.precision()) {
    return MakeError(ErrorCode::kUnsupportedType, "decimal(" + std::to_string(type.precision()) +
                                                      "," + std::to_string(type.scale()) + ")");
  }
  return Type::Decimal(static_cast<int>(type.precision()), static_cast<int>(type.scale()));
}

Status WrongValue(Type type) {
  return MakeError(ErrorCode::kBadCommand,
                   "a literal's value is not of its type, " + type.ToString());
}

// The value fits the type: it is what exact conversion to it gives.
Result<Literal> Fitting(__int128 value, Type held, Type type) {
  auto literal = CastLiteral(Literal::Integer(value), held, type);
  if (!literal) return WrongValue(type);
  return *std::move(literal);
}

Result<Literal> IntegerFromProto(int64_t value, Type type) {
  if (type.is_integer()) return Fitting(value, Type::Of(TypeKind::kInt64), type);
  if (type.kind == TypeKind::kDate) {
    SVM_RETURN_NOT_OK(Fitting(value, Type::Of(TypeKind::kInt64), Type::Of(TypeKind::kInt32)));
    return Literal::Integer(value);
  }
  const bool time = type.kind == TypeKind::kTimestamp || type.kind == TypeKind::kTimestampNtz;
  if (!time) return WrongValue(type);
  return Literal::Integer(value);
}

Result<Literal> DecimalFromBytes(const std::string& bytes, Type type) {
  if (!type.is_decimal() || bytes.size() != kDecimalBytes) return WrongValue(type);
  __int128 value = 0;
  std::memcpy(&value, bytes.data(), kDecimalBytes);
  if (DecimalOf(Literal::Integer(value)).precision > type.precision) return WrongValue(type);
  return Literal::Integer(value);
}

Result<Literal> ValueFromProto(const v1::Literal& literal, Type type) {
  switch (literal.value_case()) {
    case v1::Literal::VALUE_NOT_SET:
      return Literal::Null();
    case v1::Literal::kBoolValue:
      if (type.kind != TypeKind::kBool) return WrongValue(type);
      return Literal::Integer(literal.bool_value() ? 1 : 0);
    case v1::Literal::kIntValue:
      return IntegerFromProto(literal.int_value(), type);
    case v1::Literal::kDoubleValue:
      if (!type.is_float()) return WrongValue(type);
      return Literal::Number(literal.double_value());
    case v1::Literal::kDecimalValue:
      return DecimalFromBytes(literal.decimal_value(), type);
    case v1::Literal::kStringValue:
      if (type.kind != TypeKind::kString) return WrongValue(type);
      return Literal::Text(literal.string_value());
    case v1::Literal::kBinaryValue:
      if (type.kind != TypeKind::kBinary) return WrongValue(type);
      return Literal::Text(literal.binary_value());
  }
  return WrongValue(type);
}

}  // namespace

Result<Type> TypeFromProto(const v1::Type& type) {
  if (type.kind() == v1::TYPE_KIND_DECIMAL) return DecimalFromProto(type);
  const int kind = static_cast<int>(type.kind());
  if (kind < v1::TYPE_KIND_BOOL || kind > v1::TYPE_KIND_BINARY) {
    return MakeError(ErrorCode::kUnsupportedType, "type number " + std::to_string(kind));
  }
  // Both enums list the types in one order, the wire's from 1.
  static_assert(static_cast<int>(TypeKind::kBinary) + 1 == v1::TYPE_KIND_BINARY);
  static_assert(static_cast<int>(TypeKind::kDecimal) + 1 == v1::TYPE_KIND_DECIMAL);
  return Type::Of(static_cast<TypeKind>(kind - 1));
}

Result<ExpressionPtr> LiteralFromProto(const v1::Literal& literal) {
  SVM_ASSIGN_OR_RETURN(const Type type, TypeFromProto(literal.type()));
  SVM_ASSIGN_OR_RETURN(Literal value, ValueFromProto(literal, type));
  return MakeLiteral(type, std::move(value));
}

}  // namespace shadowvm::plan
