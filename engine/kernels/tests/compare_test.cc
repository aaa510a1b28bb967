// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/kernels/common/compare.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "engine/kernels/common/list.h"

namespace shadowvm::kernels::tests {
namespace {

template <class F>
class FloatOrderTest : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatOrderTest, Floats);

TYPED_TEST(FloatOrderTest, NanIsLargestAndZerosAreEqual) {
  using F = TypeParam;
  constexpr F kNan = std::numeric_limits<F>::quiet_NaN(),
              kMost = std::numeric_limits<F>::infinity();
  const std::vector<std::vector<F>> ascending = {{-kMost}, {-1},    {F(-0.0), F(0.0)},
                                                 {F(0.5)}, {kMost}, {kNan, -kNan}};
  for (size_t a = 0; a < ascending.size(); ++a) {
    for (size_t b = 0; b < ascending.size(); ++b) {
      for (F x : ascending[a]) {
        for (F y : ascending[b]) {
          EXPECT_EQ(float_equal(x, y), a == b);
          EXPECT_EQ(float_less(x, y), a < b);
          EXPECT_EQ(float_less_equal(x, y), a <= b);
          EXPECT_EQ(float_compare(x, y), a < b ? -1 : a > b ? 1 : 0);
          EXPECT_EQ(float_key(x) == float_key(y), a == b);
        }
      }
    }
  }
}

TEST(ListTest, FindsExactlyItsMembers) {
  for (u64 count = 0; count < 9; ++count) {
    std::vector<i64> integers;
    std::vector<double> reals;
    for (u64 n = 0; n < count; ++n)
      integers.push_back(i64(2 * n)), reals.push_back(2.0 * double(n));
    ListView list = {};
    list.integers = integers.data();
    list.reals = reals.data();
    list.count = count;
    for (i64 v = -2; v < 20; ++v) {
      const bool member = v >= 0 && v % 2 == 0 && v < i64(2 * count);
      EXPECT_EQ(list_contains(list, v), member);
      EXPECT_EQ(list_contains(list, double(v)), member);
    }
  }
}

TEST(ListTest, TextsAndNan) {
  const Text texts[] = {make_text("", 0), make_text("ab", 2), make_text("abcdefgh", 8)};
  const double reals[] = {1, std::numeric_limits<double>::quiet_NaN()};
  ListView list = {};
  list.texts = texts;
  list.reals = reals;
  list.count = 3;
  EXPECT_TRUE(list_contains(list, make_text("ab", 2)));
  EXPECT_TRUE(list_contains(list, make_text("abcdefgh", 8)));
  EXPECT_FALSE(list_contains(list, make_text("abc", 3)));
  list.count = 2;
  EXPECT_TRUE(list_contains(list, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(list_contains(list, 2.0));
}

}  // namespace
}  // namespace shadowvm::kernels::tests
