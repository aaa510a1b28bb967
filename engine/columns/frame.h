// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/columns/segment.h"
#include "engine/columns/type.h"

namespace shadowvm::columns {

// Bytes of the narrowest offset that holds 'range' (max - min, as unsigned: INT64_MIN … INT64_MAX
// fits 8).
inline uint8_t FrameWidth(uint64_t range) {
  if (range <= UINT8_MAX) return 1;
  if (range <= UINT16_MAX) return 2;
  return range <= UINT32_MAX ? 4 : 8;
}

inline uint64_t RangeOf(int64_t min, int64_t max) {
  return static_cast<uint64_t>(max) - static_cast<uint64_t>(min);
}

// The smallest and largest value a framed type can hold at all.
Zone FullZone(Type type);

// Adds 'other' to 'zone': the result covers both. Unknown swallows known; null counts add up.
Zone Merge(const Zone& zone, const Zone& other);

inline uint64_t LoadOffset(const uint8_t* data, int width, int64_t row) {
  switch (width) {
    case 1:
      return data[row];
    case 2:
      return reinterpret_cast<const uint16_t*>(data)[row];
    case 4:
      return reinterpret_cast<const uint32_t*>(data)[row];
    default:
      return reinterpret_cast<const uint64_t*>(data)[row];
  }
}

// values[i] - base into offsets of 'width' bytes.
void Narrow(const int64_t* values, int64_t count, int64_t base, int width, uint8_t* out);

}  // namespace shadowvm::columns
