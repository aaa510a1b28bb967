// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/value_range.h"

#include <gtest/gtest.h>

namespace shadowvm::exec {
namespace {

using plan::Literal;
using plan::Op;

ValueRange Of(const std::vector<std::pair<Op, __int128>>& bounds) {
  vkernel::RangeSlot slot;
  for (const auto& [op, value] : bounds) slot.bounds.push_back({op, Literal::Integer(value)});
  return RangeOf(slot);
}

void ExpectRange(const ValueRange& range, int64_t min, int64_t max) {
  EXPECT_EQ(range.min, min);
  EXPECT_EQ(range.max, max);
}

TEST(ValueRange, AllBoundsHold) {
  ExpectRange(Of({{Op::kGreaterEqual, 1}, {Op::kLessEqual, 3}}), 1, 3);
  ExpectRange(Of({{Op::kGreater, 1}, {Op::kLess, 3}}), 2, 2);
  ExpectRange(Of({{Op::kEqual, 7}, {Op::kLess, 100}}), 7, 7);
  ExpectRange(Of({{Op::kLess, 10}, {Op::kLess, 5}, {Op::kLess, 8}}), INT64_MIN, 4);
  ExpectRange(Of({}), INT64_MIN, INT64_MAX);
}

TEST(ValueRange, ContradictionsAreEmpty) {
  EXPECT_TRUE(Of({{Op::kEqual, 1}, {Op::kEqual, 2}}).empty());
  EXPECT_TRUE(Of({{Op::kGreater, 3}, {Op::kLess, 4}}).empty());
}

// Bounds at the ends of 64 bits must not wrap to the other end.
TEST(ValueRange, EndsOfTheDomain) {
  EXPECT_TRUE(Of({{Op::kGreater, INT64_MAX}}).empty());
  EXPECT_TRUE(Of({{Op::kLess, INT64_MIN}}).empty());
  ExpectRange(Of({{Op::kGreaterEqual, INT64_MAX}}), INT64_MAX, INT64_MAX);
  ExpectRange(Of({{Op::kLessEqual, INT64_MIN}}), INT64_MIN, INT64_MIN);
  EXPECT_TRUE(Of({{Op::kGreaterEqual, __int128{INT64_MAX} + 1}}).empty());
  ExpectRange(Of({{Op::kLess, __int128{INT64_MAX} + 5}}), INT64_MIN, INT64_MAX);
}

TEST(ValueRange, MissesAZone) {
  const ValueRange range{10, 20};
  EXPECT_FALSE(range.Misses({true, 20, 30, 0}));
  EXPECT_FALSE(range.Misses({true, 0, 10, 0}));
  EXPECT_TRUE(range.Misses({true, 21, 30, 0}));
  EXPECT_TRUE(range.Misses({true, 0, 9, 0}));
  EXPECT_FALSE(range.Misses({false, 21, 30, 0}));
  EXPECT_TRUE((ValueRange{1, 0}).Misses({false, 0, 0, 0}));
}

void ExpectView(const kernels::RangeView& view, uint64_t low, uint64_t length) {
  EXPECT_EQ(view.low, low);
  EXPECT_EQ(view.length, length);
}

TEST(ValueRange, AsOffsetsOfAFrame) {
  ExpectView(BindRange({10, 20}, 5, 1), 5, 10);
  ExpectView(BindRange({0, 20}, 5, 1), 0, 15);
  ExpectView(BindRange({10, 2000}, 5, 1), 5, 250);
  ExpectView(BindRange({INT64_MIN, INT64_MAX}, 5, 2), 0, 65535);
  ExpectView(BindRange({INT64_MIN, INT64_MAX}, INT64_MIN, 8), 0, UINT64_MAX);
  ExpectView(BindRange({-1, 1}, INT64_MIN, 8), static_cast<uint64_t>(INT64_MAX), 2);
  ExpectView(BindRange({INT64_MAX, INT64_MAX}, INT64_MIN, 8), UINT64_MAX, 0);
}

}  // namespace
}  // namespace shadowvm::exec
