// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/scale.h"

#include <gtest/gtest.h>

#include "engine/cli/tests/ssb_tables.h"

namespace shadowvm::cli::ssb {
namespace {

TEST(ScaleTest, CountsFollowTheSpecification) {
  const Scale one = TestScale(1);
  EXPECT_EQ(one.num_orders, 1'500'000);
  EXPECT_EQ(one.num_customers, 30'000);
  EXPECT_EQ(one.num_suppliers, 2'000);
  EXPECT_EQ(one.num_parts, 200'000);
  EXPECT_EQ(TestScale(10).num_parts, 800'000);
  EXPECT_EQ(TestScale(20).num_parts, 1'000'000);
  EXPECT_EQ(TestScale(10).num_customers, 300'000);
}

TEST(ScaleTest, SmallFactorsKeepAFloor) {
  const Scale tiny = TestScale(0.0001);
  EXPECT_EQ(tiny.num_orders, 150);
  EXPECT_EQ(tiny.num_parts, 500);
  EXPECT_EQ(TestScale(0.1).num_parts, 20'000);
}

TEST(ScaleTest, FactorsOutOfRangeAreErrors) {
  EXPECT_FALSE(MakeScale(0, 1).ok());
  EXPECT_FALSE(MakeScale(-1, 1).ok());
  EXPECT_FALSE(MakeScale(301, 1).ok());
  EXPECT_EQ(base::CodeOf(MakeScale(1e9, 1).status()), base::ErrorCode::kUnsupported);
}

TEST(ScaleTest, LineorderHasFourRowsAnOrderOnAverage) {
  const Scale scale = TestScale(0.1);
  const double rows = static_cast<double>(MakeLineorder(scale)->num_rows());
  EXPECT_NEAR(rows / static_cast<double>(scale.num_orders), 4.0, 0.02);
}

}  // namespace
}  // namespace shadowvm::cli::ssb
