// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "engine/kernels/tests/tiles.h"

namespace shadowvm::kernels::tests {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(AccumulateTest, Counts) {
  i64 r[2] = {};
  count_row(r);
  count_valid(r + 1, true);
  count_valid(r + 1, false);
  EXPECT_EQ(r[0], 1);
  EXPECT_EQ(r[1], 1);
}

TEST(AccumulateTest, SumsWrapOrRaise) {
  KernelCall call = {};
  i64 r = INT64_MAX;
  sum_i64(&r, 1);
  EXPECT_EQ(r, INT64_MIN);
  r = INT64_MAX - 1;
  sum_i64_checked(&call, &r, 1);
  EXPECT_EQ(call.error, 0u);
  sum_i64_checked(&call, &r, 1);
  EXPECT_EQ(call.error, kErrorOverflow);
}

TEST(AccumulateTest, WideSumsRaiseWhereTheirOrderCouldMatter) {
  for (const int sign : {1, -1}) {
    i64 r[2] = {};
    KernelCall call = {};
    const i128 most = i128(power_of_ten(28)) - 1;
    sum_i128_checked(&call, r, sign * most);
    sum_i128_checked(&call, r, sign * most);
    EXPECT_EQ(call.error, 0u);
    EXPECT_TRUE(load_value<i128>(r) == sign * 2 * most);
    sum_i128_checked(&call, r, sign * (most + 1));
    EXPECT_EQ(call.error, kErrorOverflow);
  }
}

TEST(AccumulateTest, WideSumsAndExtremes) {
  i64 r[2] = {};
  const i128 large = i128(INT64_MAX) * 1000;
  sum_i128(r, large);
  sum_i128(r, -3);
  EXPECT_TRUE(load_value<i128>(r) == large - 3);
  max_i128(r, large);
  EXPECT_TRUE(load_value<i128>(r) == large);
  min_i128(r, -large);
  EXPECT_TRUE(load_value<i128>(r) == -large);
}

TEST(AccumulateTest, IntegerExtremes) {
  i64 least = INT64_MAX, most = INT64_MIN;
  for (i64 v : {5L, -7L, 3L}) {
    min_i64(&least, v);
    max_i64(&most, v);
  }
  EXPECT_EQ(least, -7);
  EXPECT_EQ(most, 5);
}

TEST(AccumulateTest, NanIsTheLargestDouble) {
  i64 least, most, sum = 0;
  store_value(&least, kNan);
  store_value(&most, -kInfinity);
  for (double v : {kNan, 2.0, -kInfinity, 5.0}) min_double(&least, v);
  for (double v : {1.0, kInfinity}) max_double(&most, v);
  EXPECT_EQ(load_value<double>(&least), -kInfinity);
  EXPECT_EQ(load_value<double>(&most), kInfinity);
  max_double(&most, kNan);
  max_double(&most, kInfinity);
  EXPECT_TRUE(std::isnan(load_value<double>(&most)));
  sum_double(&sum, 1.5);
  sum_double(&sum, 2);
  EXPECT_EQ(load_value<double>(&sum), 3.5);
}

std::string StringOf(const i64* r) {
  const Text text = load_value<Text>(r);
  return std::string(text.data, text.size);
}
Text Of(const std::string& text) { return make_text(text.data(), static_cast<u32>(text.size())); }

TEST(AccumulateTest, TextExtremesCopyWhatTheyTake) {
  std::vector<std::unique_ptr<std::string>> kept;
  KernelCall call = {};
  call.interner = &kept;
  call.keep_text = [](KernelCall* c, Text text) {
    auto* copies = static_cast<std::vector<std::unique_ptr<std::string>>*>(c->interner);
    copies->push_back(std::make_unique<std::string>(text.data, text.size));
    return Of(*copies->back());
  };
  i64 least[2] = {}, most[2] = {}, stable_least[2] = {}, stable_most[2] = {};
  const std::vector<std::string> texts = {"mango", "apple", "zebra", "apples", "aple"};
  for (const std::string& text : texts) {
    std::string passing = text;
    min_text(&call, least, Of(passing));
    max_text(&call, most, Of(passing));
    min_stable_text(stable_least, Of(text));
    max_stable_text(stable_most, Of(text));
    passing.assign(passing.size(), '?');
  }
  EXPECT_EQ(StringOf(least), "aple");
  EXPECT_EQ(StringOf(most), "zebra");
  EXPECT_EQ(StringOf(stable_least), "aple");
  EXPECT_EQ(StringOf(stable_most), "zebra");
  EXPECT_EQ(kept.size(), 3u + 2u);
}

TEST(AccumulateTest, AnEmptyTextWithoutBytesIsAValue) {
  i64 least[2] = {};
  min_stable_text(least, Text{nullptr, 0, 0});
  min_stable_text(least, Of("a"));
  EXPECT_EQ(StringOf(least), "");
}

}  // namespace
}  // namespace shadowvm::kernels::tests
