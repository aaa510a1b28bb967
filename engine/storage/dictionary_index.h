// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

#include "engine/base/status.h"

namespace shadowvm::storage {

// A dictionary page whose values are already in their final form, 'width' bytes each.
struct EncodedDictionary {
  const uint8_t* values = nullptr;
  int64_t size = 0;
  int width = 4;
};

// Decodes 'count' indices of a dictionary-encoded page (bit width, then runs) and writes the value
// of each to 'out'. Every index is checked before it is used. kCorruptFile.
base::Status DecodeIndices(const uint8_t* data, int64_t size, int64_t count,
                           const EncodedDictionary& dictionary, uint8_t* out);

}  // namespace shadowvm::storage
