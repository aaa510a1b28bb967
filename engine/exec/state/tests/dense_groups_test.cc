// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/dense_groups.h"

#include <map>
#include <optional>
#include <span>

#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/sorter.h"
#include "engine/exec/state/tests/state_test.h"

namespace shadowvm::exec {
namespace {

using Kind = AccumulatorKind;

class DenseGroupsTest : public StateTest {
 protected:
  const std::vector<Accumulator> count_and_sum_ = {{Kind::kCount, 0}, {Kind::kSumI64, 1}};
  const std::vector<AggregateOutput> outputs_ = {
      {RowColumn::Value(kInt64, false), 0, false, -1, 0, {}},
      {RowColumn::Value(kInt64, true), 1, false, 0, 0, {}}};

  static void Add(DenseGroups* groups, int worker, const std::vector<uint32_t>& codes,
                  int64_t value) {
    uint64_t slot = 0;
    for (size_t key = 0; key < codes.size(); ++key) slot += codes[key] * groups->strides()[key];
    int64_t* row = groups->Slots(worker).ValueOrDie() + slot * groups->row_words();
    row[0] += 1;
    row[1] += value;
  }
};

void ExpectSameRows(const RowSet& rows, const RowSet& expected) {
  ASSERT_EQ(rows.num_rows, expected.num_rows);
  ASSERT_EQ(rows.columns.size(), expected.columns.size());
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    const RowData &own = rows.columns[i], &other = expected.columns[i];
    for (int64_t row = 0; row < rows.num_rows; ++row) {
      ASSERT_EQ(own.is_valid(row), other.is_valid(row)) << row;
      if (!own.is_valid(row)) continue;
      if (own.column.kind == RowColumn::Kind::kText) {
        ASSERT_EQ(View(own.TextAt(row)), View(other.TextAt(row))) << row;
      } else {
        ASSERT_EQ(own.Integer(row), other.Integer(row)) << row;
      }
    }
  }
}

TEST_F(DenseGroupsTest, SlotsAreBounded) {
  const std::vector<DenseKey> fits = {DenseKey::Column(0, 255, false),
                                      DenseKey::Column(-5, 250, false)};
  EXPECT_EQ(DenseGroups::NumSlots(fits), uint64_t{64 << 10});
  const std::vector<DenseKey> nulls = {DenseKey::Column(0, 255, true),
                                       DenseKey::Column(-5, 250, false)};
  EXPECT_EQ(DenseGroups::NumSlots(nulls), std::nullopt);
  const std::vector<DenseKey> huge = {DenseKey::Column(INT64_MIN, INT64_MAX, true)};
  EXPECT_EQ(DenseGroups::NumSlots(huge), std::nullopt);
  EXPECT_EQ(DenseGroups::NumSlots({}), uint64_t{1});
}

TEST_F(DenseGroupsTest, RandomRowsOverWorkers) {
  // Key 0: a nullable column of 1992 … 1998. Key 1: brands of a join.
  const auto brands = Rows({Texts({{"x"}, {"y"}, {"x"}, {}})}, 4);
  const std::vector<int> first = {0};
  const auto codes = std::make_shared<GroupCodes>(*MakeGroupCodes(*brands, first));
  ASSERT_EQ(codes->num_codes(), 3u);
  DenseGroups groups(
      &budget_,
      {{DenseKey::Column(1992, 1998, true), DenseKey::Join(codes, brands)}, count_and_sum_, 0}, 3);
  std::map<std::pair<std::string, std::string>, std::pair<int64_t, int64_t>> expected;
  const std::vector<std::string> names = {"trash", "x", "y", "null"};
  for (int i = 0; i < 5000; ++i) {
    const auto year = static_cast<uint32_t>(random_() % 8);
    const auto brand = static_cast<uint32_t>(random_() % 4);
    const auto value = static_cast<int64_t>(random_() % 1000);
    if (year == 3) continue;
    Add(&groups, static_cast<int>(random_() % 2), {year, brand}, value);
    if (brand == 0) continue;
    auto& entry = expected[{year == 7 ? "null" : std::to_string(1992 + year), names[brand]}];
    entry.first += 1;
    entry.second += value;
  }
  ASSERT_TRUE(groups.Merge(workers_).ok());
  const std::vector<DenseKeyColumn> keys = {{RowColumn::Text(kString, true), 1, 0},
                                            {RowColumn::Value(kInt32, true), 0, 0}};
  const RowSet rows = groups.Emit(keys, outputs_).ValueOrDie();
  EXPECT_EQ(rows.num_rows, static_cast<int64_t>(expected.size()));
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    const auto& [brand, year, count, sum] =
        std::tie(rows.columns[0], rows.columns[1], rows.columns[2], rows.columns[3]);
    const std::string year_text = year.is_valid(row) ? std::to_string(year.Integer(row)) : "null";
    const std::string brand_text =
        brand.is_valid(row) ? std::string(View(brand.TextAt(row))) : "null";
    const auto found = expected.find({year_text, brand_text});
    ASSERT_NE(found, expected.end());
    EXPECT_EQ(count.Integer(row), found->second.first);
    EXPECT_EQ(sum.Integer(row), found->second.second);
  }
}

TEST_F(DenseGroupsTest, LargeArraysMergeInParallel) {
  DenseGroups groups(&budget_, {{DenseKey::Column(0, 65535, false)}, count_and_sum_, 0}, 3);
  for (uint32_t code = 0; code < 65536; code += 2) {
    for (int worker = 0; worker < 3; ++worker) Add(&groups, worker, {code}, code);
  }
  ASSERT_TRUE(groups.Merge(workers_).ok());
  const std::vector<DenseKeyColumn> keys = {{RowColumn::Value(kInt32, false), 0, 0}};
  const RowSet rows = groups.Emit(keys, outputs_).ValueOrDie();
  ASSERT_EQ(rows.num_rows, 32768);
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    ASSERT_EQ(rows.columns[0].Integer(row), 2 * row);
    ASSERT_EQ(rows.columns[1].Integer(row), 3);
    ASSERT_EQ(rows.columns[2].Integer(row), 6 * row);
  }
}

TEST_F(DenseGroupsTest, AreFilledAgain) {
  DenseGroups groups(&budget_, {{DenseKey::Column(10, 19, false)}, count_and_sum_, 0}, 3);
  const std::vector<DenseKeyColumn> keys = {{RowColumn::Value(kInt32, false), 0, 0}};
  for (const uint32_t code : {3u, 7u}) {
    const int64_t used = budget_.used();
    Add(&groups, 1, {code}, code);
    groups.AddArray(groups.MakeArray().ValueOrDie());
    ASSERT_TRUE(groups.Merge(workers_).ok());
    const RowSet rows = groups.Emit(keys, outputs_).ValueOrDie();
    ASSERT_EQ(rows.num_rows, 1);
    EXPECT_EQ(rows.columns[0].Integer(0), 10 + code);
    const int64_t with_arrays = budget_.used();
    groups.Reset();
    EXPECT_LT(budget_.used(), with_arrays);
    EXPECT_GT(budget_.used(), used);  // the rows are still there
  }
}

TEST_F(DenseGroupsTest, NoKeysGiveOneRowEvenWithoutRows) {
  DenseGroups groups(&budget_, {{}, count_and_sum_, 0}, 3);
  ASSERT_TRUE(groups.Merge(workers_).ok());
  const RowSet rows = groups.Emit({}, outputs_).ValueOrDie();
  ASSERT_EQ(rows.num_rows, 1);
  EXPECT_EQ(rows.columns[0].Integer(0), 0);
  EXPECT_FALSE(rows.columns[1].is_valid(0));

  DenseGroups keyed(&budget_, {{DenseKey::Column(0, 9, false)}, count_and_sum_, 0}, 3);
  ASSERT_TRUE(keyed.Merge(workers_).ok());
  EXPECT_EQ(keyed.Emit({}, outputs_).ValueOrDie().num_rows, 0);
}

// Of years and brands: years downwards, nulls first, and then brands by their names.
TEST_F(DenseGroupsTest, InOrderAreTheGroupsOfASort) {
  const auto brands = Rows({Texts({{"b#2"}, {"b#12"}, {}})}, 3);
  const std::vector<int> first = {0};
  const auto codes = std::make_shared<GroupCodes>(*MakeGroupCodes(*brands, first));
  DenseGroups groups(
      &budget_,
      {{DenseKey::Column(1992, 1998, true), DenseKey::Join(codes, brands)}, count_and_sum_, 0}, 3);
  const std::vector<DenseKeyColumn> keys = {{RowColumn::Text(kString, true), 1, 0},
                                            {RowColumn::Value(kInt32, true), 0, 0}};
  const std::vector<SortColumn> by = {{1, true, true}, {0, false, false}};
  std::optional<SlotOrder> order;
  for (int run = 0; run < 3; ++run) {
    for (int i = 0; i < 30; ++i) {
      const auto year = static_cast<uint32_t>(random_() % 8);
      const auto brand = static_cast<uint32_t>(random_() % 4);
      Add(&groups, static_cast<int>(random_() % 2), {year, brand}, i);
    }
    ASSERT_TRUE(groups.Merge(workers_).ok());
    if (!order) order = groups.OrderSlots(keys, by, workers_).ValueOrDie();
    EXPECT_EQ(order->slots.size(), 8 * 3);
    const RowSet found = groups.Emit(keys, outputs_).ValueOrDie();
    const RowNumbers numbers = OrderRows(SortOrder(found, by), {}, &budget_, workers_).ValueOrDie();
    const std::span<const uint32_t> sorted(numbers->as<uint32_t>(), found.num_rows);
    const RowSet expected = Gather(found, sorted, &budget_, workers_).ValueOrDie();
    const RowSet rows = groups.EmitInOrder(*order, outputs_, workers_).ValueOrDie();
    EXPECT_LT(rows.num_rows, 24);  // some have no rows
    ExpectSameRows(rows, expected);
    groups.Reset();
  }
}

TEST_F(DenseGroupsTest, FailsCleanly) {
  ExpectCleanAtEveryAllocation([&]() -> base::Status {
    DenseGroups groups(&budget_, {{DenseKey::Column(0, 9, false)}, count_and_sum_, 0}, 2);
    SVM_RETURN_NOT_OK(groups.Slots(0).status());
    SVM_RETURN_NOT_OK(groups.Slots(1).status());
    SVM_RETURN_NOT_OK(groups.Merge(workers_));
    return groups.Emit({}, outputs_).status();
  });
  DenseGroups groups(&budget_, {{}, count_and_sum_, 0}, 2);
  ASSERT_TRUE(base::ArmFaults("exec.merge=always:error").ok());
  EXPECT_EQ(base::CodeOf(groups.Merge(workers_)), base::ErrorCode::kInjected);
}

}  // namespace
}  // namespace shadowvm::exec
