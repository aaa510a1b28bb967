// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/memory/range_allocator.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace shadowvm::memory {
namespace {

TEST(RangeAllocator, GapsBecomeOneAgain) {
  RangeAllocator ranges(1024);
  const auto a = ranges.Take(100), b = ranges.Take(256), c = ranges.Take(257);
  ASSERT_TRUE(a && b && c);
  EXPECT_FALSE(ranges.Take(1));
  ranges.Give(*a, 100);
  ranges.Give(*c, 257);
  EXPECT_FALSE(ranges.Take(600));
  ranges.Give(*b, 256);
  EXPECT_EQ(ranges.Take(1024), 0);
}

TEST(RangeAllocator, TakesTheSmallestGapThatFits) {
  RangeAllocator ranges(2048);
  const auto a = ranges.Take(512), b = ranges.Take(256), c = ranges.Take(256);
  ASSERT_TRUE(a && b && c);
  ranges.Give(*a, 512);
  ranges.Give(*c, 256);
  // Between b and the end there are now 1280 bytes; the first 512 fit better.
  EXPECT_EQ(ranges.Take(400), *a);
}

TEST(RangeAllocator, StretchesNeverOverlap) {
  RangeAllocator ranges(64 << 10);
  std::mt19937 random(1);
  std::map<int64_t, int64_t> taken;
  for (int round = 0; round < 5000; ++round) {
    if (random() % 2 == 0 && !taken.empty()) {
      auto gone = std::next(taken.begin(), random() % taken.size());
      ranges.Give(gone->first, gone->second);
      taken.erase(gone);
      continue;
    }
    const int64_t bytes = random() % 4000;
    const auto at = ranges.Take(bytes);
    if (!at) continue;
    const auto after = taken.lower_bound(*at);
    if (after != taken.end()) {
      ASSERT_LE(*at + bytes, after->first);
    }
    if (after != taken.begin()) {
      ASSERT_LE(std::prev(after)->first + RangeAllocator::SizeOf(std::prev(after)->second), *at);
    }
    taken[*at] = bytes;
  }
  for (const auto& [at, bytes] : taken) ranges.Give(at, bytes);
  EXPECT_EQ(ranges.Take(64 << 10), 0);
}

}  // namespace
}  // namespace shadowvm::memory
