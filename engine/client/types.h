// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "shadowvm/v1/types.pb.h"

// Types to cast to and to write null constants of.
namespace shadowvm::client {

v1::Type BoolType();
v1::Type Int8Type();
v1::Type Int16Type();
v1::Type Int32Type();
v1::Type Int64Type();
v1::Type FloatType();
v1::Type DoubleType();
v1::Type DecimalType(int precision, int scale);
v1::Type DateType();
v1::Type TimestampType();
v1::Type TimestampNtzType();
v1::Type StringType();
v1::Type BinaryType();

}  // namespace shadowvm::client
