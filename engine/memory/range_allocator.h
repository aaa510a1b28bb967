// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace shadowvm::memory {

// Hands out stretches of a range of bytes that it never touches: a device's memory, say. The
// smallest gap that is large enough is taken, and neighbouring gaps become one. One thread at a
// time.
class RangeAllocator {
 public:
  static constexpr int64_t kAlignment = 256;

  explicit RangeAllocator(int64_t bytes) : gaps_{{0, bytes}} {}

  // Where the stretch begins; nothing when no gap is large enough.
  std::optional<int64_t> Take(int64_t bytes);
  // What Take gave for so many bytes.
  void Give(int64_t at, int64_t bytes);
  // What Take takes for so many bytes.
  static int64_t SizeOf(int64_t bytes);

 private:
  std::map<int64_t, int64_t> gaps_;  // where, and how large
};

}  // namespace shadowvm::memory
