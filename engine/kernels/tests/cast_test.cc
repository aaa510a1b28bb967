// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/kernels/common/cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace shadowvm::kernels::tests {
namespace {

TEST(CastTest, IntegersWrapOrRaise) {
  KernelCall call = {};
  EXPECT_EQ(wrap_to<i8>(200), -56);
  EXPECT_EQ(wrap_to<i32>(i64(1) << 32), 0);
  EXPECT_EQ(checked_to<i8>(&call, -128), -128);
  EXPECT_EQ(call.error, 0u);
  EXPECT_EQ(checked_to<i8>(&call, 128), 0);
  EXPECT_EQ(call.error, kErrorCastOverflow);
}

TEST(CastTest, DoublesSaturateAsInJava) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(double_to<i32>(nan), 0);
  EXPECT_EQ(double_to<i32>(-1.9), -1);
  EXPECT_EQ(double_to<i32>(3e9), INT32_MAX);
  EXPECT_EQ(double_to<i32>(-3e9), INT32_MIN);
  EXPECT_EQ(double_to<i64>(1e300), INT64_MAX);
  EXPECT_EQ(double_to<i64>(-1e300), INT64_MIN);
  EXPECT_EQ(double_to<i64>(-0x1p63), INT64_MIN);
  EXPECT_EQ(double_to<i64>(0x1p62), i64(1) << 62);
  EXPECT_EQ(double_to<i8>(300), 44);
  EXPECT_EQ(double_to<i16>(3e9), -1);  // INT32_MAX, wrapped
}

template <class T>
u32 ErrorOf(double v) {
  KernelCall call = {};
  const i64 result = checked_double_to<T>(&call, v);
  EXPECT_EQ(result, call.error == 0 ? i64(v) : 0);
  return call.error;
}

TEST(CastTest, CheckedDoublesRaiseWhenTheIntegralPartIsOutOfRange) {
  EXPECT_EQ(ErrorOf<i8>(127.9), 0u);
  EXPECT_EQ(ErrorOf<i8>(-128.9), 0u);
  EXPECT_EQ(ErrorOf<i8>(128), kErrorCastOverflow);
  EXPECT_EQ(ErrorOf<i8>(-129), kErrorCastOverflow);
  EXPECT_EQ(ErrorOf<i32>(2147483647.5), 0u);
  EXPECT_EQ(ErrorOf<i32>(2147483648.0), kErrorCastOverflow);
  EXPECT_EQ(ErrorOf<i64>(-0x1p63), 0u);
  EXPECT_EQ(ErrorOf<i64>(0x1p63), kErrorCastOverflow);
  EXPECT_EQ(ErrorOf<i64>(-0x1.0000000000001p63), kErrorCastOverflow);
  EXPECT_EQ(ErrorOf<i64>(std::numeric_limits<double>::quiet_NaN()), kErrorCastOverflow);
}

TEST(CastTest, DecimalsAndIntegers) {
  KernelCall call = {};
  i128 out = 0;
  EXPECT_TRUE(integer_to_decimal(-12, 5, 3, &out));
  EXPECT_EQ(i64(out), -12000);
  EXPECT_FALSE(integer_to_decimal(100, 5, 3, &out));
  EXPECT_EQ(decimal_to<i32>(-1999, 3), -1);
  EXPECT_EQ(decimal_to<i8>(300, 0), 44);
  EXPECT_EQ(checked_decimal_to<i8>(&call, -128999, 3), -128);
  EXPECT_EQ(call.error, 0u);
  EXPECT_EQ(checked_decimal_to<i8>(&call, 128000, 3), 0);
  EXPECT_EQ(call.error, kErrorCastOverflow);
}

TEST(CastTest, Bools) {
  EXPECT_TRUE(to_bool(i64(-1)));
  EXPECT_FALSE(to_bool(i128(0)));
  EXPECT_FALSE(to_bool(-0.0));
  EXPECT_TRUE(to_bool(std::numeric_limits<double>::quiet_NaN()));
}

std::string DecimalString(i128 v, u32 scale) {
  std::string digits;
  for (u128 rest = magnitude(v); rest != 0; rest /= 10)
    digits.insert(digits.begin(), char('0' + int(rest % 10)));
  return (v < 0 ? "-" : "") + (digits.empty() ? "0" : digits) + "e-" + std::to_string(scale);
}

TEST(CastTest, DecimalToTheNearestDouble) {
  std::mt19937_64 random(19);
  for (int n = 0; n < 100000; ++n) {
    const u128 most = power_of_ten(static_cast<u32>(random() % 39));
    const u128 size = (u128(random()) << 64 | random()) % most;
    const i128 v = with_sign(size, random() % 2 != 0);
    const u32 scale = static_cast<u32>(random() % 39);
    const std::string text = DecimalString(v, scale);
    ASSERT_EQ(decimal_to_double(v, scale), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(CastTest, DecimalToDoubleTiesGoToEven) {
  for (i64 even : {i64(1) << 53, (i64(1) << 53) + 4, i64(1) << 60}) {
    for (i64 offset : {-3, -1, 0, 1, 2, 3}) {
      EXPECT_EQ(decimal_to_double(even + offset, 0), double(even + offset));
      EXPECT_EQ(decimal_to_double((even + offset) * i128(10) + 1, 1),
                std::strtod(DecimalString((even + offset) * i128(10) + 1, 1).c_str(), nullptr));
    }
  }
}

}  // namespace
}  // namespace shadowvm::kernels::tests
