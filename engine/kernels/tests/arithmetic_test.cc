// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/kernels/common/arithmetic.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace shadowvm::kernels::tests {
namespace {

template <class T>
class ArithmeticTest : public testing::Test {
 protected:
  // Values of T, often at its ends.
  i64 Value() {
    const i64 ends[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 0, 1, -1};
    return random_() % 3 == 0 ? ends[random_() % 5] : i64(T(random_()));
  }
  void Check(i128 exact, i64 wrapped, i64 checked) {
    const bool fits = exact == T(exact);
    EXPECT_EQ(wrapped, i64(T(u64(exact))));
    EXPECT_EQ(checked, fits ? i64(exact) : 0);
    EXPECT_EQ(call_.error, fits ? 0 : kErrorOverflow);
    call_.error = 0;
  }
  std::mt19937_64 random_{1};
  KernelCall call_ = {};
};
using Widths = testing::Types<i8, i16, i32, i64>;
TYPED_TEST_SUITE(ArithmeticTest, Widths);

TYPED_TEST(ArithmeticTest, WrapsOrRaises) {
  using T = TypeParam;
  KernelCall* call = &this->call_;
  for (int n = 0; n < 20000; ++n) {
    const i64 a = this->Value(), b = this->Value();
    this->Check(i128(a) + b, wrap_add<T>(a, b), checked_add<T>(call, a, b));
    this->Check(i128(a) - b, wrap_subtract<T>(a, b), checked_subtract<T>(call, a, b));
    this->Check(i128(a) * b, wrap_multiply<T>(a, b), checked_multiply<T>(call, a, b));
    this->Check(-i128(a), wrap_negate<T>(a), checked_negate<T>(call, a));
  }
}

TEST(DivisionTest, SignsFollowJava) {
  KernelCall call = {};
  EXPECT_EQ(modulo(-7, 3), -1);
  EXPECT_EQ(modulo(7, -3), 1);
  EXPECT_EQ(modulo(INT64_MIN, -1), 0);
  EXPECT_EQ(divide_integer(-7, 2), -3);
  EXPECT_EQ(divide_integer(INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(checked_modulo(&call, 7, 4), 3);
  EXPECT_EQ(checked_divide_integer(&call, 9, -1), -9);
  EXPECT_EQ(call.error, 0u);
  EXPECT_EQ(checked_divide_integer(&call, INT64_MIN, -1), 0);
  EXPECT_EQ(call.error, kErrorOverflow);
}

TEST(DivisionTest, ZeroDivisors) {
  KernelCall call = {};
  EXPECT_EQ(modulo(5, 0), 0);
  EXPECT_EQ(divide_integer(5, 0), 0);
  EXPECT_EQ(divide(6, 4), 1.5);
  checked_divide(&call, 1, 0);
  EXPECT_EQ(call.error, kErrorDivideByZero);
  call.error = 0;
  checked_modulo(&call, 1, 0);
  EXPECT_EQ(call.error, kErrorDivideByZero);
  call.error = 0;
  checked_divide_integer(&call, 1, 0);
  EXPECT_EQ(call.error, kErrorDivideByZero);
}

}  // namespace
}  // namespace shadowvm::kernels::tests
