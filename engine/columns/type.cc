// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/type.h"

namespace shadowvm::columns {

std::string Type::ToString() const {
  switch (kind) {
    case TypeKind::kBool:
      return "boolean";
    case TypeKind::kInt8:
      return "int8";
    case TypeKind::kInt16:
      return "int16";
    case TypeKind::kInt32:
      return "int32";
    case TypeKind::kInt64:
      return "int64";
    case TypeKind::kFloat:
      return "float";
    case TypeKind::kDouble:
      return "double";
    case TypeKind::kDecimal:
      return "decimal(" + std::to_string(precision) + "," + std::to_string(scale) + ")";
    case TypeKind::kDate:
      return "date";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kTimestampNtz:
      return "timestamp_ntz";
    case TypeKind::kString:
      return "string";
    case TypeKind::kBinary:
      return "binary";
  }
  return "unknown";
}

int Schema::Find(const std::string& name) const {
  int found = -1;
  for (int i = 0; i < num_fields(); ++i) {
    if (fields[i].name != name) continue;
    if (found >= 0) return -2;
    found = i;
  }
  return found;
}

}  // namespace shadowvm::columns
