// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/status.h"

namespace shadowvm::cli {

// A table as [[…], …], row by row: numbers as numbers, texts and dates as strings, null as null. A
// decimal is a number while it has no fraction and fits 64 bits, else a string, so that no digit is
// lost.
base::Result<nlohmann::json> RowsToJson(const arrow::Table& table);

}  // namespace shadowvm::cli
