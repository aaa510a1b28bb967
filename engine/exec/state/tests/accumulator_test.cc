// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/accumulator.h"

#include <cmath>
#include <limits>

#include "engine/exec/state/tests/state_test.h"
#include "engine/kernels/common/decimal.h"
#include "engine/kernels/cpu/accumulate.h"

namespace shadowvm::exec {
namespace {

using columns::Type;
using kernels::i128;
using Kind = AccumulatorKind;

class AccumulatorTest : public StateTest {
 protected:
  // The result of one group.
  base::Result<RowSet> FinaliseOne(const AggregateOutput& output,
                                   const std::vector<Accumulator>& accumulators,
                                   const std::vector<int64_t>& group) {
    SVM_ASSIGN_OR_RETURN(RowSet rows, MakeRowSet(&budget_, {output.column}, 1));
    const int64_t* groups[] = {group.data()};
    SVM_RETURN_NOT_OK(Finalise(output, accumulators, groups, 1, 0, &rows.columns[0]));
    return rows;
  }
  static std::vector<int64_t> WideAndCount(i128 sum, int64_t count) {
    std::vector<int64_t> row(3);
    kernels::store_value(row.data(), sum);
    row[2] = count;
    return row;
  }
  const std::vector<Accumulator> wide_and_count_ = {{Kind::kSumI128, 0}, {Kind::kCount, 2}};
};

TEST_F(AccumulatorTest, InitialValuesDoNotChangeAMerge) {
  std::vector<Accumulator> all;
  int word = 0;
  for (int kind = 0; kind <= static_cast<int>(Kind::kMaxText); ++kind) {
    all.push_back({static_cast<Kind>(kind), word});
    word += WordsOf(static_cast<Kind>(kind));
  }
  ASSERT_EQ(RowWords(all), word);
  std::vector<int64_t> initial(word);
  Initialise(all, initial.data());
  std::vector<int64_t> values = initial;
  for (const Accumulator& accumulator : all) {
    int64_t* at = values.data() + accumulator.word;
    switch (accumulator.kind) {
      case Kind::kSumDouble:
      case Kind::kMinDouble:
      case Kind::kMaxDouble:
        kernels::store_value(at, -7.5);
        break;
      case Kind::kMinText:
      case Kind::kMaxText:
        kernels::store_value(at, KeptText("seven"));
        break;
      default:
        WordsOf(accumulator.kind) == 2 ? kernels::store_value<i128>(at, -7) : void(*at = -7);
    }
  }
  std::vector<int64_t> into = initial;
  ASSERT_TRUE(MergeRow(all, values.data(), into.data()).ok());
  EXPECT_EQ(into, values);
  ASSERT_TRUE(MergeRow(all, initial.data(), into.data()).ok());
  EXPECT_EQ(into, values);
}

TEST_F(AccumulatorTest, MergesByKind) {
  const auto merged = [](Kind kind, auto from, auto into) {
    std::vector<int64_t> a(2), b(2);
    kernels::store_value(a.data(), from);
    kernels::store_value(b.data(), into);
    const Accumulator accumulator{kind, 0};
    EXPECT_TRUE(MergeRow({&accumulator, 1}, a.data(), b.data()).ok());
    return kernels::load_value<decltype(from)>(b.data());
  };
  EXPECT_EQ(merged(Kind::kSumI64, INT64_MAX, int64_t{1}), INT64_MIN);
  EXPECT_EQ(merged(Kind::kMinI64, int64_t{-3}, int64_t{4}), -3);
  EXPECT_EQ(merged(Kind::kMaxI64, int64_t{-3}, int64_t{4}), 4);
  EXPECT_TRUE(merged(Kind::kSumI128, i128{1} << 100, i128{1} << 100) == i128{1} << 101);
  EXPECT_TRUE(merged(Kind::kMaxI128, i128{-1}, i128{-2}) == -1);
  EXPECT_EQ(merged(Kind::kMinDouble, 1.0, std::nan("")), 1.0);
  EXPECT_TRUE(std::isnan(merged(Kind::kMaxDouble, std::nan(""), 1.0)));
  EXPECT_EQ(View(merged(Kind::kMinText, MakeText("b"), MakeText("ab"))), "ab");
  EXPECT_EQ(View(merged(Kind::kMaxText, MakeText("b"), MakeText("ab"))), "b");
  const Accumulator checked{Kind::kSumI64, 0, true};
  int64_t a = INT64_MAX, b = 1;
  EXPECT_EQ(base::CodeOf(MergeRow({&checked, 1}, &a, &b)), base::ErrorCode::kOverflow);
}

TEST_F(AccumulatorTest, DecimalSums) {
  AggregateOutput sum{
      RowColumn::Value(Type::Decimal(20, 2), true), 0, false, 1, 0, OnOverflow::kWrap};
  const i128 limit = static_cast<i128>(kernels::power_of_ten(20));
  auto rows = FinaliseOne(sum, wide_and_count_, WideAndCount(limit - 1, 3)).ValueOrDie();
  EXPECT_TRUE(rows.columns[0].values<i128>()[0] == limit - 1);
  EXPECT_TRUE(rows.columns[0].is_valid(0));
  rows = FinaliseOne(sum, wide_and_count_, WideAndCount(-limit, 3)).ValueOrDie();
  EXPECT_FALSE(rows.columns[0].is_valid(0));
  rows = FinaliseOne(sum, wide_and_count_, WideAndCount(0, 0)).ValueOrDie();
  EXPECT_FALSE(rows.columns[0].is_valid(0));
  sum.on_overflow = OnOverflow::kError;
  EXPECT_EQ(base::CodeOf(FinaliseOne(sum, wide_and_count_, WideAndCount(limit, 3)).status()),
            base::ErrorCode::kOverflow);
  EXPECT_TRUE(FinaliseOne(sum, wide_and_count_, WideAndCount(limit, 0)).ok());
}

TEST_F(AccumulatorTest, IntegerSums) {
  AggregateOutput sum{RowColumn::Value(kInt64, true), 0, false, 1, 0, OnOverflow::kWrap};
  const auto over = WideAndCount(i128{INT64_MAX} + 1, 2);
  auto rows = FinaliseOne(sum, wide_and_count_, over).ValueOrDie();
  EXPECT_EQ(rows.columns[0].Integer(0), INT64_MIN);
  sum.on_overflow = OnOverflow::kNull;
  EXPECT_FALSE(FinaliseOne(sum, wide_and_count_, over).ValueOrDie().columns[0].is_valid(0));
  sum.on_overflow = OnOverflow::kError;
  EXPECT_EQ(base::CodeOf(FinaliseOne(sum, wide_and_count_, over).status()),
            base::ErrorCode::kOverflow);
}

TEST_F(AccumulatorTest, Averages) {
  AggregateOutput average{
      RowColumn::Value(Type::Decimal(10, 6), true), 0, true, 1, 2, OnOverflow::kWrap};
  // 10.00 / 3, 20.00 / 3 and their negatives: HALF_UP at six digits.
  const auto unscaled = [&](i128 sum, int64_t count) {
    const RowSet rows =
        FinaliseOne(average, wide_and_count_, WideAndCount(sum, count)).ValueOrDie();
    return rows.columns[0].Integer(0);
  };
  EXPECT_EQ(unscaled(1000, 3), 3333333);
  EXPECT_EQ(unscaled(2000, 3), 6666667);
  EXPECT_EQ(unscaled(-2000, 3), -6666667);
  EXPECT_FALSE(FinaliseOne(average, wide_and_count_, WideAndCount(0, 0))
                   .ValueOrDie()
                   .columns[0]
                   .is_valid(0));
  const std::vector<Accumulator> doubles = {{Kind::kSumDouble, 0}, {Kind::kCount, 1}};
  std::vector<int64_t> group(2);
  kernels::store_value(group.data(), 7.0);
  group[1] = 2;
  const AggregateOutput of_doubles{RowColumn::Value(kDouble, true), 0, true, 1, 0, {}};
  EXPECT_EQ(FinaliseOne(of_doubles, doubles, group).ValueOrDie().columns[0].values<double>()[0],
            3.5);
}

TEST_F(AccumulatorTest, EmptyStringIsAResult) {
  const std::vector<Accumulator> texts = {{Kind::kMinText, 0}, {Kind::kCount, 2}};
  std::vector<int64_t> group(3);
  Initialise(texts, group.data());
  kernels::min_stable_text(group.data(), kernels::Text{nullptr, 0, 0});
  group[2] = 1;
  const AggregateOutput minimum{RowColumn::Text(kString, true), 0, false, 1, 0, {}};
  const RowSet rows = FinaliseOne(minimum, texts, group).ValueOrDie();
  EXPECT_TRUE(rows.columns[0].is_valid(0));
  EXPECT_EQ(View(rows.columns[0].TextAt(0)), "");
}

}  // namespace
}  // namespace shadowvm::exec
