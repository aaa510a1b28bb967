// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>

namespace shadowvm::cli::ssb {

// Mixes 64 bits so that neighbouring inputs share nothing (the finalizer of SplitMix64).
inline uint64_t Mix(uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
  return bits ^ (bits >> 31);
}

// Random values of one column, addressed by row number: the value of a row depends on seed, stream
// and row alone. That is what makes the data independent of how many threads write it and where
// chunks are cut.
class RandomStream {
 public:
  RandomStream(uint64_t seed, uint64_t stream) : key_(Mix(seed + kStep * (stream + 1))) {}

  uint64_t Bits(uint64_t row) const { return Mix(key_ + kStep * (row + 1)); }

  // Uniform in [low, high].
  int32_t Uniform(uint64_t row, int32_t low, int32_t high) const {
    const auto range = static_cast<uint64_t>(static_cast<int64_t>(high) - low + 1);
    return low + static_cast<int32_t>(((Bits(row) >> 32) * range) >> 32);
  }

 private:
  static constexpr uint64_t kStep =
      0x9e3779b97f4a7c15ULL;  // 2^64 / golden ratio: visits every residue
  uint64_t key_;
};

// Letters, digits, comma and space, 'min_length' to 'max_length' of them: the text of an address.
inline std::string RandomText(const RandomStream& stream, uint64_t row, int min_length,
                              int max_length) {
  static constexpr char kLetters[] =
      "0123456789abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ,";
  const int length = stream.Uniform(row * 64, min_length, max_length);
  std::string text(length, ' ');
  for (int i = 0; i < length; ++i) text[i] = kLetters[stream.Bits(row * 64 + i + 1) >> 58];
  return text;
}

}  // namespace shadowvm::cli::ssb
