// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/type_mapping.h"

#include <arrow/type.h>

#include <string>

namespace shadowvm::columns {
namespace {

base::Status Unsupported(const arrow::DataType& type, std::string_view column) {
  return base::MakeError(base::ErrorCode::kUnsupportedType,
                         "column " + std::string(column) + " has type " + type.ToString());
}

base::Result<Type> DecimalFromArrow(const arrow::DataType& type, std::string_view column) {
  const auto& decimal = static_cast<const arrow::DecimalType&>(type);
  const bool held =
      decimal.precision() <= 38 && decimal.scale() >= 0 && decimal.scale() <= decimal.precision();
  if (!held) return Unsupported(type, column);
  return Type::Decimal(decimal.precision(), decimal.scale());
}

}  // namespace

base::Result<Type> FromArrow(const arrow::DataType& type, std::string_view column) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Type::Of(TypeKind::kBool);
    case arrow::Type::INT8:
      return Type::Of(TypeKind::kInt8);
    case arrow::Type::UINT8:
    case arrow::Type::INT16:
      return Type::Of(TypeKind::kInt16);
    case arrow::Type::UINT16:
    case arrow::Type::INT32:
      return Type::Of(TypeKind::kInt32);
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
    case arrow::Type::INT64:
      return Type::Of(TypeKind::kInt64);
    case arrow::Type::FLOAT:
      return Type::Of(TypeKind::kFloat);
    case arrow::Type::DOUBLE:
      return Type::Of(TypeKind::kDouble);
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return DecimalFromArrow(type, column);
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
      return Type::Of(TypeKind::kDate);
    case arrow::Type::TIMESTAMP: {
      const bool zoned = !static_cast<const arrow::TimestampType&>(type).timezone().empty();
      return Type::Of(zoned ? TypeKind::kTimestamp : TypeKind::kTimestampNtz);
    }
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return Type::Of(TypeKind::kString);
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
    case arrow::Type::FIXED_SIZE_BINARY:
      return Type::Of(TypeKind::kBinary);
    case arrow::Type::DICTIONARY:
      return FromArrow(*static_cast<const arrow::DictionaryType&>(type).value_type(), column);
    default:
      return Unsupported(type, column);
  }
}

base::Result<Schema> FromArrow(const arrow::Schema& schema) {
  Schema result;
  for (const auto& field : schema.fields()) {
    SVM_ASSIGN_OR_RETURN(const Type type, FromArrow(*field->type(), field->name()));
    result.fields.push_back({field->name(), type, field->nullable()});
  }
  return result;
}

std::shared_ptr<arrow::DataType> ToArrow(Type type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return arrow::boolean();
    case TypeKind::kInt8:
      return arrow::int8();
    case TypeKind::kInt16:
      return arrow::int16();
    case TypeKind::kInt32:
      return arrow::int32();
    case TypeKind::kInt64:
      return arrow::int64();
    case TypeKind::kFloat:
      return arrow::float32();
    case TypeKind::kDouble:
      return arrow::float64();
    case TypeKind::kDecimal:
      return arrow::decimal128(type.precision, type.scale);
    case TypeKind::kDate:
      return arrow::date32();
    case TypeKind::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeKind::kTimestampNtz:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeKind::kString:
      return arrow::utf8();
    case TypeKind::kBinary:
      return arrow::binary();
  }
  return arrow::null();
}

std::shared_ptr<arrow::Schema> ToArrow(const Schema& schema) {
  arrow::FieldVector fields;
  fields.reserve(schema.fields.size());
  for (const Field& field : schema.fields) {
    fields.push_back(arrow::field(field.name, ToArrow(field.type), field.nullable));
  }
  return arrow::schema(std::move(fields));
}

}  // namespace shadowvm::columns
