// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/file_conversion.h"

#include <parquet/schema.h>

namespace shadowvm::storage {
namespace {

using columns::Type;
using columns::TypeKind;

bool HoldsDecimal(Type held, Type wanted, int least_digits, int most_digits) {
  return held.is_decimal() && wanted.is_decimal() && held.scale == wanted.scale &&
         held.precision <= wanted.precision && wanted.precision >= least_digits &&
         wanted.precision <= most_digits;
}

// INT32 holds 8, 16 and 32 bits, with and without a sign; what needs 64 of ours is read as that.
bool Int32ReadsAs(Type held, Type wanted) {
  if (held.is_decimal()) return HoldsDecimal(held, wanted, 1, 9);
  if (!held.is_integer() || held.kind == TypeKind::kInt64) return held == wanted;
  return wanted.is_integer() && wanted.kind >= held.kind && wanted.kind <= TypeKind::kInt32;
}

bool Int64ReadsAs(const FileColumn& column, Type wanted) {
  const Type held = column.type;
  if (column.form.is_unsigned || column.form.divide != 1) return false;  // beyond 63 bits, nanos
  if (held.is_decimal()) return HoldsDecimal(held, wanted, 1, 18);
  if (held.kind == TypeKind::kTimestampNtz && wanted.kind == TypeKind::kTimestamp) return true;
  return held == wanted;
}

bool BytesReadAs(const FileColumn& column, const parquet::LogicalType& logical, Type wanted) {
  if (column.type.is_decimal()) return HoldsDecimal(column.type, wanted, 19, 38);
  const bool text = logical.is_none() || logical.is_string() || logical.is_enum() ||
                    logical.is_JSON() || logical.is_BSON();
  return text && wanted.is_text();
}

bool FixedBytesReadAs(const FileColumn& column, const parquet::LogicalType& logical, Type wanted) {
  if (column.type.is_decimal()) return HoldsDecimal(column.type, wanted, 1, 38);
  return logical.is_none() && wanted.kind == TypeKind::kBinary;
}

}  // namespace

bool ReadsAs(const ParquetFooter& footer, const FileColumn& column, Type wanted) {
  const parquet::LogicalType& logical =
      *footer.metadata->schema()->Column(column.leaf)->logical_type();
  switch (column.form.type) {
    case parquet::Type::INT32:
      return Int32ReadsAs(column.type, wanted);
    case parquet::Type::INT64:
      return Int64ReadsAs(column, wanted);
    case parquet::Type::BYTE_ARRAY:
      return BytesReadAs(column, logical, wanted);
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return FixedBytesReadAs(column, logical, wanted);
    default:
      return column.type == wanted;
  }
}

}  // namespace shadowvm::storage
