// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/status.h"

namespace shadowvm::storage {

// Which rows of a page have a value. 'bits' is empty when all have; otherwise an LSB bitmap of the
// page's rows.
struct PageValidity {
  int64_t num_valid = 0;
  std::vector<uint8_t> bits;
};

// From the run-length encoded levels (0 or 1) of a flat, optional column. kCorruptFile.
base::Status DecodeLevels(const uint8_t* data, int64_t size, int64_t count, PageValidity* validity);

// From levels of the deprecated bit-packed encoding (highest bit first).
base::Status DecodePackedLevels(const uint8_t* data, int64_t size, int64_t count,
                                PageValidity* validity);

// Spreads the num_valid values of 'width' bytes that lie densely at 'values' to the rows they
// belong to, in place; null rows become 0.
void Spread(const PageValidity& validity, int64_t count, int width, uint8_t* values);

}  // namespace shadowvm::storage
