// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/run_decoder.h"

#include <algorithm>

namespace shadowvm::storage {

bool RunDecoder::NextHeader(uint32_t* header) {
  uint64_t value = 0;
  for (int shift = 0; shift < 35 && at_ < end_; shift += 7) {
    const uint8_t byte = *at_++;
    value |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) {
      *header = static_cast<uint32_t>(value);
      return value <= UINT32_MAX;
    }
  }
  return false;
}

bool RunDecoder::Next(Run* run) {
  uint32_t header = 0;
  if (!NextHeader(&header)) return false;
  run->packed = (header & 1) != 0;
  if (run->packed) {
    const int64_t groups = header >> 1;
    // The last run of a page may be cut short after the values that are there.
    run->num_bytes = std::min<int64_t>(groups * bit_width_, end_ - at_);
    run->bytes = at_;
    run->count =
        bit_width_ == 0 ? groups * 8 : std::min(groups * 8, run->num_bytes * 8 / bit_width_);
    at_ += run->num_bytes;
    return run->count > 0;
  }
  run->count = header >> 1;
  const int value_bytes = (bit_width_ + 7) / 8;
  if (end_ - at_ < value_bytes) return false;
  run->value = 0;
  for (int i = 0; i < value_bytes; ++i) run->value |= uint32_t{*at_++} << (8 * i);
  return run->count > 0;
}

}  // namespace shadowvm::storage
