// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/dictionary_index.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "engine/storage/definition_levels.h"

namespace shadowvm::storage {
namespace {

// One bit-packed run of 'values'.
std::vector<uint8_t> Packed(const std::vector<uint32_t>& values, int bit_width) {
  const size_t groups = (values.size() + 7) / 8;
  std::vector<uint8_t> bytes{static_cast<uint8_t>(bit_width)};
  for (size_t header = groups << 1 | 1;; header >>= 7) {
    bytes.push_back(static_cast<uint8_t>(header < 128 ? header : (header & 127) | 128));
    if (header < 128) break;
  }
  const size_t start = bytes.size();
  bytes.resize(start + groups * bit_width);
  for (size_t i = 0; i < values.size(); ++i) {
    for (int b = 0; b < bit_width; ++b) {
      const size_t bit = i * bit_width + b;
      bytes[start + bit / 8] |= ((values[i] >> b) & 1) << (bit % 8);
    }
  }
  return bytes;
}

TEST(DictionaryIndex, EveryBitWidthAndLength) {
  std::mt19937 random(3);
  for (int bit_width = 1; bit_width <= 16; ++bit_width) {
    const uint32_t entries = uint32_t{1} << bit_width;
    std::vector<uint32_t> dictionary(entries);
    for (uint32_t i = 0; i < entries; ++i) dictionary[i] = i * 3 + 1;
    for (const size_t count : {1, 8, 31, 32, 33, 1000}) {
      std::vector<uint32_t> indices(count);
      for (auto& index : indices) index = random() % entries;
      const auto bytes = Packed(indices, bit_width);
      std::vector<uint32_t> out(count);
      ASSERT_TRUE(DecodeIndices(bytes.data(), bytes.size(), count,
                                {reinterpret_cast<const uint8_t*>(dictionary.data()), entries, 4},
                                reinterpret_cast<uint8_t*>(out.data()))
                      .ok());
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(out[i], indices[i] * 3 + 1);
    }
  }
}

TEST(DictionaryIndex, RefusesWhatIsNotThere) {
  const std::vector<uint16_t> dictionary{7, 8, 9};
  const EncodedDictionary encoded{reinterpret_cast<const uint8_t*>(dictionary.data()), 3, 2};
  std::vector<uint16_t> out(100);
  auto* to = reinterpret_cast<uint8_t*>(out.data());
  const auto decode = [&](const std::vector<uint8_t>& bytes, int64_t count) {
    return DecodeIndices(bytes.data(), static_cast<int64_t>(bytes.size()), count, encoded, to);
  };
  EXPECT_TRUE(decode(Packed({0, 1, 2}, 2), 3).ok());
  EXPECT_FALSE(decode(Packed({0, 3, 2}, 2), 3).ok());
  EXPECT_FALSE(decode(Packed(std::vector<uint32_t>(64, 3), 2), 64).ok());
  EXPECT_FALSE(decode(Packed({0, 1, 2}, 2), 30).ok());
  EXPECT_FALSE(decode({2, 100 << 1, 3}, 10).ok());
  EXPECT_TRUE(decode({2, 50 << 1, 2}, 50).ok());
  EXPECT_EQ(out[49], 9);
  EXPECT_FALSE(decode({33, 2, 0}, 1).ok());
  EXPECT_FALSE(decode({}, 1).ok());
  EXPECT_FALSE(decode({2, 0xff, 0xff, 0xff, 0xff, 0xff}, 1).ok());
}

TEST(DefinitionLevels, RunsBecomeABitmap) {
  PageValidity validity;
  const std::vector<uint8_t> levels{3 << 1, 1, 2 << 1, 0, 1 << 1 | 1, 0b10110101};
  ASSERT_TRUE(DecodeLevels(levels.data(), levels.size(), 13, &validity).ok());
  EXPECT_EQ(validity.num_valid, 8);
  EXPECT_EQ(validity.bits, (std::vector<uint8_t>{0b10100111, 0b00010110}));
  EXPECT_FALSE(DecodeLevels(levels.data(), levels.size(), 14, &validity).ok());
  const std::vector<uint8_t> ones{0xc8, 0x01, 1};
  ASSERT_TRUE(DecodeLevels(ones.data(), ones.size(), 100, &validity).ok());
  EXPECT_TRUE(validity.bits.empty());
}

TEST(DefinitionLevels, SpreadLeavesZeroesForNulls) {
  const PageValidity validity{3, {0b101001}};
  std::vector<uint16_t> values{1, 2, 3, 99, 99, 99};
  Spread(validity, 6, 2, reinterpret_cast<uint8_t*>(values.data()));
  EXPECT_EQ(values, (std::vector<uint16_t>{1, 0, 0, 2, 0, 3}));
}

}  // namespace
}  // namespace shadowvm::storage
