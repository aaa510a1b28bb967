// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/client/types.h"

namespace shadowvm::client {
namespace {

v1::Type Of(v1::TypeKind kind) {
  v1::Type type;
  type.set_kind(kind);
  return type;
}

}  // namespace

v1::Type BoolType() { return Of(v1::TYPE_KIND_BOOL); }
v1::Type Int8Type() { return Of(v1::TYPE_KIND_INT8); }
v1::Type Int16Type() { return Of(v1::TYPE_KIND_INT16); }
v1::Type Int32Type() { return Of(v1::TYPE_KIND_INT32); }
v1::Type Int64Type() { return Of(v1::TYPE_KIND_INT64); }
v1::Type FloatType() { return Of(v1::TYPE_KIND_FLOAT); }
v1::Type DoubleType() { return Of(v1::TYPE_KIND_DOUBLE); }
v1::Type DateType() { return Of(v1::TYPE_KIND_DATE); }
v1::Type TimestampType() { return Of(v1::TYPE_KIND_TIMESTAMP); }
v1::Type TimestampNtzType() { return Of(v1::TYPE_KIND_TIMESTAMP_NTZ); }
v1::Type StringType() { return Of(v1::TYPE_KIND_STRING); }
v1::Type BinaryType() { return Of(v1::TYPE_KIND_BINARY); }

v1::Type DecimalType(int precision, int scale) {
  v1::Type type = Of(v1::TYPE_KIND_DECIMAL);
  type.set_precision(static_cast<uint32_t>(precision));
  type.set_scale(static_cast<uint32_t>(scale));
  return type;
}

}  // namespace shadowvm::client
