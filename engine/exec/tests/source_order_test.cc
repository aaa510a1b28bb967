// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/source_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace shadowvm::exec {
namespace {

TEST(SourceOrder, IsThatOfTheIdsAndThenOfThePlaces) {
  memory::MemoryBudget budget(int64_t{1} << 20);
  std::mt19937_64 random(7);
  for (const uint64_t most : {uint64_t{0}, uint64_t{5}, uint64_t{1} << 21, ~uint64_t{0}}) {
    for (const size_t count : {0, 1, 2, 5000}) {
      std::vector<uint64_t> ids(count);
      for (uint64_t& id : ids) id = most == ~uint64_t{0} ? random() : random() % (most + 1);
      std::vector<uint32_t> expected(count);
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(),
                       [&](uint32_t left, uint32_t right) { return ids[left] < ids[right]; });
      const auto order = SourceOrder(ids, &budget).ValueOrDie();
      const auto* const places = order->as<uint32_t>();
      EXPECT_EQ(std::vector<uint32_t>(places, places + count), expected) << most << " " << count;
    }
  }
}

TEST(SourceOrder, CountsWhatItTakes) {
  memory::MemoryBudget budget(1000);
  const std::vector<uint64_t> ids(100);
  EXPECT_EQ(base::CodeOf(SourceOrder(ids, &budget).status()), base::ErrorCode::kOutOfMemory);
  EXPECT_EQ(budget.used(), 0);
}

}  // namespace
}  // namespace shadowvm::exec
