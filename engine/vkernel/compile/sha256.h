// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace shadowvm::vkernel {

using Digest = std::array<uint8_t, 32>;

// SHA-256. Kernels are code that we load by key, so keys and contents are checked with a hash
// nobody can collide on purpose. Field() also adds the length, so that two runs of fields never
// read as one another.
class Sha256 {
 public:
  Sha256& Add(std::string_view bytes);
  Sha256& Field(std::string_view bytes);
  Digest Finish();

  static Digest Of(std::string_view bytes) { return Sha256().Add(bytes).Finish(); }

 private:
  void Block(const uint8_t* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  uint64_t size_ = 0;
};

std::string ToHex(const Digest& digest);

}  // namespace shadowvm::vkernel
