// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <string>

#include "engine/base/status.h"

namespace shadowvm::cli {

// Fingerprints of an answer: two answers of the same rows have the same digest, whatever their
// chunks. Names of columns do not count; -0.0 and 0.0 are one value, and so are all NaNs.
struct RowDigest {
  uint64_t ordered = 0;    // of the rows in their order
  uint64_t unordered = 0;  // of the rows as a bag
};

// kUnsupportedType for a type that no answer has.
base::Result<RowDigest> DigestOf(const arrow::Table& table);

// "00f3…", 16 digits.
std::string ToHex(uint64_t digest);

}  // namespace shadowvm::cli
