// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

namespace shadowvm::storage {

// One run of the RLE / bit-packed hybrid: a value repeated, or values packed one after another.
struct Run {
  bool packed = false;
  int64_t count = 0;
  uint32_t value = 0;              // repeated
  const uint8_t* bytes = nullptr;  // packed, count * bit width bits
  int64_t num_bytes = 0;
};

// Walks the runs of an encoded stream. Never reads outside it.
class RunDecoder {
 public:
  RunDecoder(const uint8_t* data, int64_t size, int bit_width)
      : at_(data), end_(data + size), bit_width_(bit_width) {}

  // False at the end of the stream or at a run that is not whole.
  bool Next(Run* run);

 private:
  bool NextHeader(uint32_t* header);

  const uint8_t* at_;
  const uint8_t* end_;
  int bit_width_;
};

}  // namespace shadowvm::storage
