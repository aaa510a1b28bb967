// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/bit_unpack.h"

#include <array>
#include <cstring>
#include <utility>

namespace shadowvm::storage {
namespace {

// One value of width W: a 64-bit load at a byte offset known at compile time.
template <int W, int I>
uint32_t UnpackOne(const uint8_t* in) {
  constexpr int kBit = I * W;
  constexpr uint64_t kMask = (uint64_t{1} << W) - 1;
  uint64_t window;
  std::memcpy(&window, in + kBit / 8, sizeof(window));
  return static_cast<uint32_t>((window >> (kBit % 8)) & kMask);
}

template <int W, int... I>
void UnpackEach(const uint8_t* in, uint32_t* out, std::integer_sequence<int, I...>) {
  ((out[I] = UnpackOne<W, I>(in)), ...);
}

template <int W>
void Unpack(const uint8_t* in, uint32_t* out) {
  UnpackEach<W>(in, out, std::make_integer_sequence<int, kUnpackBlock>());
}

template <int... W>
constexpr std::array<UnpackFunction, sizeof...(W)> Table(std::integer_sequence<int, W...>) {
  return {Unpack<W>...};
}

}  // namespace

UnpackFunction UnpackerFor(int bit_width) {
  static constexpr auto kTable = Table(std::make_integer_sequence<int, 33>());
  return kTable[bit_width];
}

}  // namespace shadowvm::storage
