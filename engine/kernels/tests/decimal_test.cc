// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/kernels/common/decimal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/kernels/common/attempt.h"

namespace shadowvm::kernels::tests {
namespace {

// A second implementation, digit by digit: magnitudes as decimal digits, least significant first.
using Digits = std::vector<int>;

Digits DigitsOf(u128 v) {
  Digits digits;
  for (; v != 0; v /= 10) digits.push_back(int(v % 10));
  return digits;
}
void Trim(Digits& d) {
  while (!d.empty() && d.back() == 0) d.pop_back();
}
int Compare(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (size_t k = a.size(); k-- > 0;) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return 0;
}
Digits Add(Digits a, const Digits& b) {
  a.resize(std::max(a.size(), b.size()) + 1);
  for (size_t k = 0; k < a.size(); ++k) {
    a[k] += k < b.size() ? b[k] : 0;
    if (a[k] >= 10 && k + 1 < a.size()) a[k] -= 10, ++a[k + 1];
  }
  Trim(a);
  return a;
}
Digits Subtract(Digits a, const Digits& b) {
  for (size_t k = 0; k < a.size(); ++k) {
    a[k] -= k < b.size() ? b[k] : 0;
    if (a[k] < 0) a[k] += 10, --a[k + 1];
  }
  Trim(a);
  return a;
}
Digits Multiply(const Digits& a, const Digits& b) {
  Digits product(a.size() + b.size() + 1);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  for (size_t k = 0; k + 1 < product.size(); ++k)
    product[k + 1] += product[k] / 10, product[k] %= 10;
  Trim(product);
  return product;
}
Digits Shift(Digits d, size_t zeros) {
  if (!d.empty()) d.insert(d.begin(), zeros, 0);
  return d;
}
// d / 10^digits, HALF_UP.
Digits Round(const Digits& d, size_t digits) {
  if (digits == 0) return d;
  const bool up = digits <= d.size() && d[digits - 1] >= 5;
  Digits kept = digits < d.size() ? Digits(d.begin() + i64(digits), d.end()) : Digits();
  return up ? Add(kept, {1}) : kept;
}
// a / b with 'places' fraction digits, HALF_UP.
Digits Divide(const Digits& a, const Digits& b, size_t places) {
  Digits quotient, rest;
  const Digits dividend = Shift(a, places + 1);
  for (size_t k = dividend.size(); k-- > 0;) {
    rest.insert(rest.begin(), dividend[k]);
    Trim(rest);
    int digit = 0;
    while (Compare(rest, b) >= 0) rest = Subtract(rest, b), ++digit;
    quotient.insert(quotient.begin(), digit);
  }
  Trim(quotient);
  return Round(quotient, 1);
}
Digits Rescale(const Digits& d, u32 from, u32 to) {
  return to >= from ? Shift(d, to - from) : Round(d, from - to);
}

class DecimalTest : public testing::Test {
 protected:
  // Values of 0 … precision digits, often of few digits or near a power of ten.
  i128 Value(u32 precision = 38) {
    const u128 most = power_of_ten(static_cast<u32>(random_() % (precision + 1)));
    u128 v = (u128(random_()) << 64 | random_()) % most;
    if (random_() % 4 == 0) v = most - 1 - random_() % 3 % most;
    return with_sign(v, random_() % 2 != 0);
  }
  u32 Scale() { return static_cast<u32>(random_() % 39); }
  // The result is the digits when they fit, else nothing.
  void Check(bool given, i128 value, const Digits& digits, bool negative, u32 precision) {
    ASSERT_EQ(given, digits.size() <= precision);
    if (!given) return;
    ++results_;
    ASSERT_EQ(DigitsOf(magnitude(value)), digits);
    ASSERT_TRUE(digits.empty() || (value < 0) == negative);
  }
  std::mt19937_64 random_{17};
  int results_ = 0;
};

TEST_F(DecimalTest, WideDivisionUndoesMultiplication) {
  for (int n = 0; n < 200000; ++n) {
    const u128 a = u128(random_()) << 64 | random_();
    const u128 b = (u128(random_()) << 64 | random_()) >> random_() % 127 | 1;
    const u128 rest = (u128(random_()) << 64 | random_()) >> random_() % 128;
    const u128 less = rest < b ? rest : b - 1;
    const Wide dividend = wide_add(wide_multiply(a, b), wide_of(less));
    u128 remainder;
    const Wide quotient = wide_divide(dividend, b, &remainder);
    ASSERT_TRUE(low_half(quotient) == a && high_half(quotient) == 0 && remainder == less);
  }
}

TEST_F(DecimalTest, WideDivisionOfExtremes) {
  const u128 most = ~u128(0);
  for (u128 divisor : {u128(1), u128(2), u128(~u64(0)), u128(1) << 64, (u128(1) << 127) + 1, most,
                       most - 1, u128(1) << 127, u128(~u64(0)) << 64}) {
    for (u64 low : {u64(0), u64(1), ~u64(0)}) {
      for (u64 high : {u64(0), u64(1), u64(1) << 63, ~u64(0)}) {
        const Wide v = {{low, high, low, high}};
        u128 rest;
        const Wide q = wide_divide(v, divisor, &rest);
        ASSERT_TRUE(rest < divisor);
        const Wide first = wide_multiply(low_half(q), divisor),
                   second = wide_multiply(high_half(q), divisor);
        const Wide upper = {{0, 0, second.limb[0], second.limb[1]}};
        const Wide back = wide_add(wide_add(first, upper), wide_of(rest));
        ASSERT_TRUE(low_half(back) == low_half(v) && high_half(back) == high_half(v));
        ASSERT_TRUE(high_half(second) == 0);
      }
    }
  }
}

TEST_F(DecimalTest, Rescale) {
  for (int n = 0; n < 20000; ++n) {
    const i128 v = Value();
    const u32 from = Scale(), to = Scale(), precision = 1 + Scale() % 38;
    i128 out = 0;
    const bool given = decimal_rescale(v, from, to, precision, &out);
    Check(given, out, Rescale(DigitsOf(magnitude(v)), from, to), v < 0, precision);
  }
  EXPECT_GT(results_, 4000);
}

TEST_F(DecimalTest, RoundNarrow) {
  for (int n = 0; n < 20000; ++n) {
    const i64 v = i64(Value(18));
    const u32 digits = Scale() % 19;
    i128 wide = 0;
    ASSERT_TRUE(decimal_rescale(v, digits, 0, 38, &wide));
    ASSERT_EQ(round_decimal(v, digits), i64(wide)) << v << " " << digits;
  }
  EXPECT_EQ(round_decimal(i64(15), 1), 2);
  EXPECT_EQ(round_decimal(i64(-15), 1), -2);
  EXPECT_EQ(round_decimal(i64(-14), 1), -1);
}

TEST_F(DecimalTest, AddAndSubtract) {
  for (int n = 0; n < 20000; ++n) {
    const i128 a = Value(), b = Value();
    const u32 sa = Scale(), sb = Scale(), scale = std::min(std::max(sa, sb), Scale());
    const Digits left = Shift(DigitsOf(magnitude(a)), std::max(sa, sb) - sa);
    const Digits right = Shift(DigitsOf(magnitude(b)), std::max(sa, sb) - sb);
    for (bool minus : {false, true}) {
      const bool opposite = (a < 0) != ((b < 0) != minus);
      const bool swapped = Compare(left, right) < 0;
      const Digits exact = !opposite ? Add(left, right)
                           : swapped ? Subtract(right, left)
                                     : Subtract(left, right);
      const bool negative = opposite && swapped ? (b < 0) != minus : a < 0;
      i128 out = 0;
      const bool given = minus ? decimal_subtract(a, sa, b, sb, 38, scale, &out)
                               : decimal_add(a, sa, b, sb, 38, scale, &out);
      Check(given, out, Rescale(exact, std::max(sa, sb), scale), negative, 38);
    }
  }
  EXPECT_GT(results_, 4000);
}

TEST_F(DecimalTest, MultiplyRoundsOnce) {
  for (int n = 0; n < 20000; ++n) {
    const i128 a = Value(), b = Value();
    const u32 product_scale = Scale() + Scale(), scale = std::min(product_scale, Scale());
    const Digits exact = Multiply(DigitsOf(magnitude(a)), DigitsOf(magnitude(b)));
    i128 out = 0;
    const bool given = decimal_multiply(a, b, product_scale, 38, scale, &out);
    Check(given, out, Rescale(exact, product_scale, scale), (a < 0) != (b < 0), 38);
  }
  EXPECT_GT(results_, 4000);
}

TEST_F(DecimalTest, DivideRoundsOnce) {
  for (int n = 0; n < 10000; ++n) {
    const i128 a = Value(n % 2 == 0 ? 38 : 6), b = Value(n % 3 == 0 ? 38 : 5);
    const u32 sa = Scale(), sb = Scale(), scale = n % 5 == 0 ? 6 : Scale();
    i128 out = 0;
    const bool given = decimal_divide(a, sa, b, sb, 38, scale, &out);
    if (b == 0) {
      ASSERT_FALSE(given);
      continue;
    }
    const Digits left = Shift(DigitsOf(magnitude(a)), sb),
                 right = Shift(DigitsOf(magnitude(b)), sa);
    Check(given, out, Divide(left, right, scale), (a < 0) != (b < 0), 38);
  }
  EXPECT_GT(results_, 2000);
}

TEST_F(DecimalTest, DivideWhereTwoRoundingsWouldDiffer) {
  // 0.05 / 99009900990099009901 is 50.4…95 × 10^-23, with 21 nines.
  i128 out = 0;
  const i128 divisor = (i128(power_of_ten(22)) + 1) / 101;
  ASSERT_TRUE(decimal_divide(5, 2, divisor, 0, 23, 23, &out));
  EXPECT_EQ(i64(out), 50);
}

TEST_F(DecimalTest, AQuotientOfAllBitsIsTooLarge) {
  // 100 a = 27 (2^128 - 1) + 15, so a / 0.27 rounds up to 2^128, which would be 0.
  i128 out = 0;
  const i128 a = 27 * i128(~u128(0) / 100) + 15;
  EXPECT_FALSE(decimal_divide(a, 0, 27, 2, 38, 0, &out));
}

TEST_F(DecimalTest, RemainderHasTheSignOfTheDividend) {
  for (int n = 0; n < 20000; ++n) {
    const i128 a = Value(), b = Value();
    i128 rest = 0;
    ASSERT_EQ(try_modulo(a, b, &rest), b != 0);
    ASSERT_TRUE(b == 0 || rest == a % b);
  }
}

TEST_F(DecimalTest, Fits) {
  EXPECT_TRUE(decimal_fits(i64(-999), 3));
  EXPECT_FALSE(decimal_fits(i64(1000), 3));
  EXPECT_FALSE(decimal_fits(i64(-1000), 3));
  EXPECT_TRUE(decimal_fits(i128(power_of_ten(38)) - 1, 38));
  EXPECT_FALSE(decimal_fits(-i128(power_of_ten(38)), 38));
}

}  // namespace
}  // namespace shadowvm::kernels::tests
