// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/physical_value.h"

namespace shadowvm::storage {

bool LoadValue(const PhysicalForm& form, const uint8_t* bytes, int64_t size, int64_t* out) {
  switch (form.type) {
    case parquet::Type::BOOLEAN:
      if (size != 1) return false;
      *out = bytes[0] != 0;
      return true;
    case parquet::Type::INT32: {
      uint32_t value;
      if (size != sizeof(value)) return false;
      std::memcpy(&value, bytes, sizeof(value));
      const int64_t whole =
          form.is_unsigned ? int64_t{value} : int64_t{static_cast<int32_t>(value)};
      return Rescale(form, whole, out);
    }
    case parquet::Type::INT64: {
      int64_t value;
      if (size != sizeof(value)) return false;
      std::memcpy(&value, bytes, sizeof(value));
      if (form.is_unsigned && value < 0) return false;
      return Rescale(form, value, out);
    }
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
    case parquet::Type::BYTE_ARRAY:
      return LoadBigEndian(bytes, size, out);
    default:
      return false;
  }
}

}  // namespace shadowvm::storage
