// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/sorter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/exec/state/prefix_sort.h"
#include "engine/exec/state/row_conversion.h"
#include "engine/exec/state/tests/state_test.h"

namespace shadowvm::exec {
namespace {

class SorterTest : public StateTest {
 protected:
  // < 0, 0, > 0, computed plainly.
  static int ComparePlainly(const RowData& data, const SortColumn& key, uint32_t a, uint32_t b) {
    const bool a_valid = data.is_valid(a);
    const bool b_valid = data.is_valid(b);
    if (!a_valid || !b_valid) {
      if (a_valid == b_valid) return 0;
      return (!a_valid == key.nulls_first) ? -1 : 1;
    }
    int order = 0;
    const auto compare = [&](auto x, auto y) { order = x < y ? -1 : y < x ? 1 : 0; };
    if (data.column.kind != RowColumn::Kind::kValue) {
      compare(View(data.TextAt(a)), View(data.TextAt(b)));
    } else if (data.column.type.is_wide()) {
      compare(data.values<__int128>()[a], data.values<__int128>()[b]);
    } else if (data.column.type.is_float()) {
      const double x = data.values<double>()[a];
      const double y = data.values<double>()[b];
      if (std::isnan(x) || std::isnan(y)) {
        order = static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
      } else {
        compare(x, y);
      }
    } else {
      compare(data.Integer(a), data.Integer(b));
    }
    return key.descending ? -order : order;
  }

  static std::vector<uint32_t> SortPlainly(const RowSet& rows,
                                           const std::vector<SortColumn>& keys) {
    std::vector<uint32_t> order(rows.num_rows);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      for (const SortColumn& key : keys) {
        const int result = ComparePlainly(rows.columns[key.column], key, a, b);
        if (result != 0) return result < 0;
      }
      return false;
    });
    return order;
  }

  // Rows of every kind of key; the last column numbers them.
  std::shared_ptr<RowSet> RandomRows(int count) {
    auto dictionary = columns::Dictionary::Make(&budget_).ValueOrDie();
    Nullable<int32_t> ints(count);
    Nullable<int64_t> longs(count);
    Nullable<double> doubles(count);
    Nullable<__int128> wide(count);
    Nullable<std::string> strings(count);
    std::vector<int32_t> numbers(count);
    const std::vector<double> special = {0.0,
                                         -0.0,
                                         std::nan(""),
                                         -std::nan(""),
                                         1.5,
                                         -2.5,
                                         std::numeric_limits<double>::infinity(),
                                         -std::numeric_limits<double>::infinity()};
    for (int i = 0; i < count; ++i) {
      if (random_() % 8 != 0) ints[i] = static_cast<int32_t>(random_() % 7) - 3;
      if (random_() % 8 != 0) longs[i] = static_cast<int64_t>(random_() & ~uint64_t{7});
      if (random_() % 8 != 0) doubles[i] = special[random_() % special.size()];
      if (random_() % 8 != 0) wide[i] = (static_cast<__int128>(random_() % 3) << 64) - 1;
      if (random_() % 8 != 0) strings[i] = "common prefix " + std::to_string(random_() % 40);
      numbers[i] = i;
    }
    if (count > 2) longs[0] = INT64_MIN, longs[1] = INT64_MAX;
    return Rows(
        {Values<int32_t>(kInt32, ints), Values<int64_t>(kInt64, longs),
         Values<double>(kDouble, doubles), Values<__int128>(columns::Type::Decimal(38, 0), wide),
         Codes(dictionary, strings), Texts(strings), Values(kInt32, numbers)},
        count);
  }

  base::Result<RowSet> Sort(const RowSet& rows, const std::vector<SortColumn>& keys,
                            const SortPart& part = {}) {
    SVM_ASSIGN_OR_RETURN(const RowNumbers numbers,
                         OrderRows(SortOrder(rows, keys), part, &budget_, workers_));
    const std::span order(numbers->as<uint32_t>(), static_cast<size_t>(numbers->size()) / 4);
    return Gather(rows, order, &budget_, workers_);
  }

  static std::vector<uint32_t> Numbers(const RowSet& rows) {
    std::vector<uint32_t> numbers(rows.num_rows);
    for (int64_t i = 0; i < rows.num_rows; ++i) {
      numbers[i] = static_cast<uint32_t>(rows.columns.back().Integer(i));
    }
    return numbers;
  }
};

TEST_F(SorterTest, EveryKindDirectionAndNullOrder) {
  const auto rows = RandomRows(700);
  for (int column = 0; column < 6; ++column) {
    for (const bool descending : {false, true}) {
      for (const bool nulls_first : {false, true}) {
        const std::vector<SortColumn> keys = {{column, descending, nulls_first}};
        const RowSet sorted = Sort(*rows, keys).ValueOrDie();
        ASSERT_EQ(Numbers(sorted), SortPlainly(*rows, keys)) << column << descending << nulls_first;
      }
    }
  }
}

TEST(PrefixSort, KeepsTheOrderOfEqualPrefixes) {
  std::mt19937_64 random{7};
  // All digits, few of them, those in the middle, the last one, the first one, none.
  for (const uint64_t mask : {~uint64_t{0}, uint64_t{0x0100000000000001}, uint64_t{0x7ffff0000},
                              uint64_t{0xff}, uint64_t{0xff} << 56, uint64_t{0}}) {
    for (const size_t count : {0, 1, 2, 255, 256, 257, 5000}) {
      std::vector<SortEntry> entries(count), room(count);
      for (size_t i = 0; i < count; ++i) entries[i] = {random() & mask, static_cast<uint32_t>(i)};
      std::vector<SortEntry> expected = entries;
      std::stable_sort(expected.begin(), expected.end(),
                       [](const auto& a, const auto& b) { return a.prefix < b.prefix; });
      SortByPrefix(entries, room);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(entries[i].prefix, expected[i].prefix) << mask << ' ' << i;
        ASSERT_EQ(entries[i].row, expected[i].row) << mask << ' ' << i;
      }
    }
  }
}

TEST_F(SorterTest, SeveralKeys) {
  const auto rows = RandomRows(3000);
  for (int round = 0; round < 30; ++round) {
    std::vector<SortColumn> keys(2 + random_() % 3);
    for (SortColumn& key : keys) {
      key = {static_cast<int>(random_() % 6), random_() % 2 == 0, random_() % 2 == 0};
    }
    const std::vector<uint32_t> expected = SortPlainly(*rows, keys);
    ASSERT_EQ(Numbers(Sort(*rows, keys).ValueOrDie()), expected);
    const int64_t offset = random_() % 50;
    const int64_t count = random_() % 200;
    const RowSet top = Sort(*rows, keys, {offset, count}).ValueOrDie();
    ASSERT_EQ(Numbers(top),
              std::vector<uint32_t>(expected.begin() + offset, expected.begin() + offset + count));
  }
}

TEST_F(SorterTest, LargeInputsInParallel) {
  const auto rows = RandomRows(200000);
  const std::vector<SortColumn> keys = {{0, true, false}, {5, false, true}};
  const std::vector<uint32_t> expected = SortPlainly(*rows, keys);
  EXPECT_EQ(Numbers(Sort(*rows, keys).ValueOrDie()), expected);
  const RowSet top = Sort(*rows, keys, {10, 90000}).ValueOrDie();
  EXPECT_EQ(Numbers(top), std::vector<uint32_t>(expected.begin() + 10, expected.begin() + 90010));
}

// What a GPU does, and what is left to do after it: ties are short, or longer than a worker's run.
TEST_F(SorterTest, TiesAfterASortByPrefixes) {
  for (const int count : {0, 1, 3000, 100000}) {
    const auto rows = RandomRows(count);
    for (const std::vector<SortColumn>& keys :
         {std::vector<SortColumn>{{0, true, false}, {5, false, true}},
          {{5, true, true}, {1, false, true}},
          {{3, false, false}, {0, true, true}},
          {{0, false, true}, {4, true, true}}}) {
      const SortOrder order(*rows, keys);
      std::vector<uint64_t> prefixes(count);
      order.Fill(0, count, prefixes.data());
      std::vector<uint32_t> numbers(count);
      std::iota(numbers.begin(), numbers.end(), 0);
      std::stable_sort(numbers.begin(), numbers.end(),
                       [&](uint32_t a, uint32_t b) { return prefixes[a] < prefixes[b]; });
      ASSERT_TRUE(OrderTies(order, prefixes.data(), numbers, workers_).ok());
      ASSERT_EQ(numbers, SortPlainly(*rows, keys));
    }
  }
}

TEST_F(SorterTest, TellsWhatPrefixesAreWorth) {
  const auto rows = RandomRows(5000);
  const SortOrder numbers(*rows, std::vector<SortColumn>{{6}});
  EXPECT_TRUE(numbers.is_exact());
  EXPECT_EQ(numbers.prefix_bits(), 13);
  EXPECT_EQ(numbers.ShareTied(), 0);
  const SortOrder texts(*rows, std::vector<SortColumn>{{5}, {6}});
  EXPECT_FALSE(texts.is_exact());
  EXPECT_EQ(texts.prefix_bits(), 64);
  EXPECT_GT(texts.ShareTied(), 0.8);
  // One bit does not fit, and few values are the same but for it.
  const SortOrder doubles(*rows, std::vector<SortColumn>{{2}});
  EXPECT_FALSE(doubles.is_exact());
  EXPECT_EQ(doubles.ShareTied(), 0);
  EXPECT_EQ(SortOrder(*RandomRows(1), std::vector<SortColumn>{{5}}).ShareTied(), 0);
}

TEST_F(SorterTest, FewRowsAndOddLimits) {
  const std::vector<SortColumn> keys = {{0, false, true}};
  for (const int count : {0, 1, 2}) {
    const auto rows = RandomRows(count);
    EXPECT_EQ(Sort(*rows, keys).ValueOrDie().num_rows, count);
    EXPECT_EQ(Sort(*rows, keys, {0, 100}).ValueOrDie().num_rows, count);
    EXPECT_EQ(Sort(*rows, keys, {5, 100}).ValueOrDie().num_rows, 0);
    EXPECT_EQ(Sort(*rows, keys, {0, 0}).ValueOrDie().num_rows, 0);
  }
}

TEST_F(SorterTest, FewRowsAreSortedAsMany) {
  const std::vector<SortColumn> keys = {{0, false, true}, {4, true, false}};
  for (const int count : {63, 64, 65}) {
    const auto rows = RandomRows(count);
    EXPECT_EQ(Numbers(Sort(*rows, keys).ValueOrDie()), SortPlainly(*rows, keys));
  }
}

// With and without room for the row's number beside the key, and keys that are alike in what comes
// first.
TEST_F(SorterTest, KeysOfEveryWidth) {
  const std::vector<SortColumn> keys = {{0, true, true}};
  for (const int bits : {1, 8, 23, 24, 25, 40, 51, 52, 53, 57, 58, 63}) {
    for (const int64_t count : {63, 64, 700, 4095, 4096, 4097}) {
      std::vector<int64_t> values(count), numbers(count);
      std::iota(numbers.begin(), numbers.end(), 0);
      const uint64_t mask = (uint64_t{1} << bits) - 1;
      const bool crowded = bits % 2 == 0;
      for (int64_t& value : values)
        value = static_cast<int64_t>(random_() & mask) >> (crowded ? bits / 2 : 0);
      values[0] = 0;
      values[1] = static_cast<int64_t>(mask);
      const auto rows = Rows({Values(kInt64, values), Values(kInt64, numbers)}, count);
      ASSERT_EQ(Numbers(Sort(*rows, keys).ValueOrDie()), SortPlainly(*rows, keys))
          << bits << ' ' << count;
    }
  }
}

TEST_F(SorterTest, NoKeysKeepTheOrder) {
  const auto rows = RandomRows(100);
  const RowSet top = Sort(*rows, {}, {3, 4}).ValueOrDie();
  EXPECT_EQ(Numbers(top), (std::vector<uint32_t>{3, 4, 5, 6}));
}

TEST_F(SorterTest, FailsCleanly) {
  const auto rows = RandomRows(100000);
  const std::vector<SortColumn> keys = {{0, false, true}};
  ExpectCleanAtEveryAllocation([&] { return Sort(*rows, keys).status(); });
  ExpectCleanAtEveryAllocation([&] { return Sort(*rows, keys, {1, 5}).status(); });
  cancel_.Cancel();
  EXPECT_EQ(base::CodeOf(Sort(*rows, keys).status()), base::ErrorCode::kCancelled);
}

}  // namespace
}  // namespace shadowvm::exec
