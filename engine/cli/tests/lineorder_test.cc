// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/cli/ssb/order_index.h"
#include "engine/cli/tests/ssb_tables.h"

namespace shadowvm::cli::ssb {
namespace {

class LineorderTest : public testing::Test {
 protected:
  std::pair<int32_t, int32_t> RangeOf(const std::string& column) const {
    const auto& values = Ints(*rows_, column);
    const auto [low, high] =
        std::minmax_element(values.raw_values(), values.raw_values() + values.length());
    return {*low, *high};
  }
  int32_t At(const std::string& column, int64_t row) const {
    return Ints(*rows_, column).Value(row);
  }

  Scale scale_ = TestScale(0.05);
  std::unique_ptr<TableGenerator> table_ = MakeLineorder(scale_);
  std::shared_ptr<arrow::RecordBatch> rows_ = AllRows(*table_);
};

TEST_F(LineorderTest, ValuesLieInTheirRanges) {
  using Range = std::pair<int32_t, int32_t>;
  EXPECT_EQ(RangeOf("lo_linenumber"), Range(1, 7));
  EXPECT_EQ(RangeOf("lo_quantity"), Range(1, 50));
  EXPECT_EQ(RangeOf("lo_discount"), Range(0, 10));
  EXPECT_EQ(RangeOf("lo_tax"), Range(0, 8));
  EXPECT_EQ(RangeOf("lo_orderdate"), Range(19920101, 19980802));
  EXPECT_EQ(RangeOf("lo_suppkey"), Range(1, scale_.num_suppliers));
  EXPECT_EQ(RangeOf("lo_partkey"), Range(1, scale_.num_parts));
}

TEST_F(LineorderTest, PricesFollowFromPartQuantityAndDiscount) {
  for (int64_t row = 0; row < rows_->num_rows(); ++row) {
    const int32_t price = PartPrice(At("lo_partkey", row));
    const int64_t extended = int64_t{price} * At("lo_quantity", row);
    ASSERT_EQ(At("lo_extendedprice", row), extended);
    ASSERT_EQ(At("lo_revenue", row), extended * (100 - At("lo_discount", row)) / 100);
    ASSERT_EQ(At("lo_supplycost", row), 6 * price / 10);
  }
}

TEST_F(LineorderTest, LinesOfAnOrderShareItsHead) {
  std::map<int32_t, int64_t> totals;
  for (int64_t row = 0; row < rows_->num_rows(); ++row) {
    totals[At("lo_orderkey", row)] +=
        int64_t{At("lo_revenue", row)} * (100 + At("lo_tax", row)) / 100;
    if (At("lo_linenumber", row) == 1) continue;
    for (const auto* column : {"lo_orderkey", "lo_custkey", "lo_orderdate", "lo_ordtotalprice"}) {
      ASSERT_EQ(At(column, row), At(column, row - 1)) << column << " of row " << row;
    }
  }
  EXPECT_EQ(static_cast<int64_t>(totals.size()), scale_.num_orders);
  for (int64_t row = 0; row < rows_->num_rows(); ++row) {
    ASSERT_EQ(At("lo_ordtotalprice", row), totals[At("lo_orderkey", row)]);
  }
}

TEST_F(LineorderTest, EveryForeignKeyIsFound) {
  std::set<int32_t> days;
  const auto dates = AllRows(*MakeDate());
  for (int64_t i = 0; i < dates->num_rows(); ++i) days.insert(Ints(*dates, "d_datekey").Value(i));
  for (int64_t row = 0; row < rows_->num_rows(); ++row) {
    ASSERT_TRUE(days.contains(At("lo_orderdate", row)));
    ASSERT_TRUE(days.contains(At("lo_commitdate", row)));
    ASSERT_NE(At("lo_custkey", row) % 3, 0) << "every third customer never orders";
    ASSERT_GE(At("lo_custkey", row), 1);
    ASSERT_LE(At("lo_custkey", row), scale_.num_customers);
  }
}

TEST_F(LineorderTest, FilterFactorsAreThoseOfTheSpecification) {
  int64_t q11 = 0;
  int64_t q12 = 0;
  for (int64_t row = 0; row < rows_->num_rows(); ++row) {
    const int32_t date = At("lo_orderdate", row);
    const int32_t discount = At("lo_discount", row);
    const int32_t quantity = At("lo_quantity", row);
    q11 += date / 10000 == 1993 && discount >= 1 && discount <= 3 && quantity < 25;
    q12 +=
        date / 100 == 199401 && discount >= 4 && discount <= 6 && quantity >= 26 && quantity <= 35;
  }
  const auto num_rows = static_cast<double>(rows_->num_rows());
  EXPECT_NEAR(static_cast<double>(q11) / num_rows, 0.0199, 0.001);
  EXPECT_NEAR(static_cast<double>(q12) / num_rows, 0.00070, 0.0002);
}

TEST(OrderIndexTest, FindsEveryRow) {
  const OrderIndex index(3, 10'000);
  int64_t row = 0;
  for (int64_t order = 0; order < 10'000; ++order) {
    for (int line = 0; line < index.num_lines(order); ++line, ++row) {
      const auto position = index.Find(row);
      ASSERT_EQ(position.order, order);
      ASSERT_EQ(position.line, line);
    }
  }
  EXPECT_EQ(row, index.num_rows());
}

}  // namespace
}  // namespace shadowvm::cli::ssb
