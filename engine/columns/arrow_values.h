// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

// The values of an Arrow array in our value domains, whatever Arrow type they come in. Null rows
// give 0 or an empty string.
namespace shadowvm::columns {

__extension__ using Int128 = __int128;

// Bools, integers, dates, time stamps, decimals of up to 18 digits. kCastOverflow when a value does
// not fit.
base::Status ReadFramed(const arrow::Array& array, int64_t* out);
// Decimals as 128-bit integers.
base::Status ReadWide(const arrow::Array& array, Int128* out);
// Strings and binaries; the views point into the array.
void ReadTexts(const arrow::Array& array, std::vector<std::string_view>* out);

// The same values without an Arrow dictionary around them.
base::Result<std::shared_ptr<arrow::Array>> WithoutDictionary(std::shared_ptr<arrow::Array> array);

}  // namespace shadowvm::columns
