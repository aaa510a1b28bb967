// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <parquet/types.h>

#include <cstdint>
#include <cstring>

#include "engine/columns/arrow_values.h"

namespace shadowvm::storage {

// How a column's values lie in one file, and what makes them values of our types.
struct PhysicalForm {
  parquet::Type::type type = parquet::Type::INT32;
  int length = 0;            // bytes of a fixed-length value
  bool is_unsigned = false;  // INT32 and INT64 only
  int64_t multiply = 1;      // to microseconds
  int64_t divide = 1;
};

// Big-endian two's complement of 'size' bytes; false when it needs more than 128 bits.
inline bool LoadBigEndian(const uint8_t* bytes, int64_t size, columns::Int128* out) {
  const bool negative = size > 0 && (bytes[0] & 0x80) != 0;
  auto value = static_cast<unsigned __int128>(negative ? -1 : 0);
  while (size > 16) {
    if (*bytes != (negative ? 0xff : 0)) return false;
    ++bytes;
    --size;
  }
  for (int64_t i = 0; i < size; ++i) value = (value << 8) | bytes[i];
  *out = static_cast<columns::Int128>(value);
  return (*out < 0) == negative;
}

inline bool LoadBigEndian(const uint8_t* bytes, int64_t size, int64_t* out) {
  columns::Int128 wide = 0;
  if (!LoadBigEndian(bytes, size, &wide)) return false;
  *out = static_cast<int64_t>(wide);
  return *out == wide;
}

// A time of day in nanoseconds and a Julian day: microseconds since 1970.
inline bool LoadInt96(const uint8_t* bytes, int64_t* out) {
  constexpr int64_t kJulianEpoch = 2'440'588;
  constexpr int64_t kMicrosPerDay = 86'400'000'000;
  int64_t nanos;
  int32_t day;
  std::memcpy(&nanos, bytes, 8);
  std::memcpy(&day, bytes + 8, 4);
  return !__builtin_mul_overflow(day - kJulianEpoch, kMicrosPerDay, out) &&
         !__builtin_add_overflow(*out, nanos / 1000 - (nanos % 1000 < 0), out);
}

inline bool Rescale(const PhysicalForm& form, int64_t value, int64_t* out) {
  if (form.divide != 1) {
    *out = value / form.divide - (value % form.divide < 0);
    return true;
  }
  return !__builtin_mul_overflow(value, form.multiply, out);
}

// One value as statistics and page indexes hold it, in our value domain; false when it has none.
bool LoadValue(const PhysicalForm& form, const uint8_t* bytes, int64_t size, int64_t* out);

}  // namespace shadowvm::storage
