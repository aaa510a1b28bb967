// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

#include "engine/base/status.h"
#include "engine/columns/type.h"

namespace shadowvm::columns {

// The type an Arrow column becomes. Unsigned integers take the next wider signed type (uint64 too
// becomes int64: bringing values in checks that they fit), time stamps of any unit microseconds,
// dictionaries their values' type. kUnsupportedType naming 'column' and the type otherwise.
base::Result<Type> FromArrow(const arrow::DataType& type, std::string_view column);
base::Result<Schema> FromArrow(const arrow::Schema& schema);

// The Arrow type our values leave as: decimals as decimal128, instants as timestamp[us, UTC],
// strings as utf8.
std::shared_ptr<arrow::DataType> ToArrow(Type type);
std::shared_ptr<arrow::Schema> ToArrow(const Schema& schema);

}  // namespace shadowvm::columns
