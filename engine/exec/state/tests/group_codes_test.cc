// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/group_codes.h"

#include <map>

#include "engine/exec/state/tests/state_test.h"

namespace shadowvm::exec {
namespace {

class GroupCodesTest : public StateTest {
 protected:
  // 'keys' says for each row what makes it distinct.
  static void ExpectCodes(const GroupCodes& result, const std::vector<std::string>& keys) {
    std::map<std::string, uint16_t> expected;
    ASSERT_EQ(result.codes.size(), keys.size());
    for (size_t row = 0; row < keys.size(); ++row) {
      const auto [entry, added] =
          expected.emplace(keys[row], static_cast<uint16_t>(expected.size() + 1));
      ASSERT_EQ(result.codes[row], entry->second) << row;
      if (added) {
        ASSERT_EQ(result.representatives[entry->second - 1], row);
      }
    }
    EXPECT_EQ(result.num_codes(), expected.size());
  }
};

TEST_F(GroupCodesTest, EveryKindOfColumn) {
  constexpr int kRows = 3000;
  auto dictionary = columns::Dictionary::Make(&budget_).ValueOrDie();
  Nullable<int32_t> small(kRows);
  Nullable<int64_t> wide_range(kRows);
  Nullable<std::string> strings(kRows);
  Nullable<double> doubles(kRows);
  Nullable<__int128> wide(kRows);
  for (int i = 0; i < kRows; ++i) {
    if (random_() % 9 != 0) small[i] = static_cast<int32_t>(random_() % 10) - 5;
    if (random_() % 9 != 0) wide_range[i] = static_cast<int64_t>(random_() % 20) << 57;
    if (random_() % 9 != 0) strings[i] = "s" + std::to_string(random_() % 30);
    if (random_() % 9 != 0) doubles[i] = static_cast<double>(random_() % 5) / 4;
    if (random_() % 9 != 0) wide[i] = static_cast<__int128>(random_() % 4) << 90;
  }
  const auto rows =
      Rows({Values<int32_t>(kInt32, small), Values<int64_t>(kInt64, wide_range),
            Codes(dictionary, strings), Texts(strings), Values<double>(kDouble, doubles),
            Values<__int128>(columns::Type::Decimal(38, 0), wide)},
           kRows);
  const auto key_of = [&](int column, int row) -> std::string {
    const auto text = [](const auto& value) {
      return value ? std::to_string(static_cast<double>(*value)) : "null";
    };
    switch (column) {
      case 0:
        return text(small[row]);
      case 1:
        return text(wide_range[row]);
      case 4:
        return text(doubles[row]);
      case 5:
        return text(wide[row]);
      default:
        return strings[row].value_or("null");
    }
  };
  const std::vector<std::vector<int>> choices = {{0}, {1},    {2},    {3},      {4},
                                                 {5}, {0, 2}, {1, 3}, {4, 5, 0}};
  for (const std::vector<int>& chosen : choices) {
    std::vector<std::string> keys(kRows);
    for (int row = 0; row < kRows; ++row) {
      for (const int column : chosen) keys[row] += key_of(column, row) + "|";
    }
    const auto codes = MakeGroupCodes(*rows, chosen);
    ASSERT_TRUE(codes.has_value());
    ExpectCodes(*codes, keys);
  }
}

TEST_F(GroupCodesTest, StopsWhenThereAreTooMany) {
  const std::vector<int> first = {0};
  const std::vector<int> both = {0, 1};
  std::vector<int32_t> values(65535);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i * 1000);
  const auto most = MakeGroupCodes(*Rows({Values(kInt32, values)}, 65535), first);
  ASSERT_TRUE(most.has_value());
  EXPECT_EQ(most->num_codes(), 65535u);
  EXPECT_EQ(most->codes.back(), 65535);
  values.push_back(-1);
  EXPECT_FALSE(MakeGroupCodes(*Rows({Values(kInt32, values)}, 65536), first).has_value());

  std::vector<int32_t> low(90000);
  std::vector<int32_t> high(90000);
  for (int i = 0; i < 90000; ++i) {
    low[i] = i % 300;
    high[i] = i / 300;
  }
  const auto rows = Rows({Values(kInt32, low), Values(kInt32, high)}, 90000);
  EXPECT_TRUE(MakeGroupCodes(*rows, first).has_value());
  EXPECT_FALSE(MakeGroupCodes(*rows, both).has_value());
}

TEST_F(GroupCodesTest, FewRows) {
  const std::vector<int> first = {0};
  const auto none = MakeGroupCodes(*Rows({Values(kInt32, std::vector<int32_t>{})}, 0), first);
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->num_codes(), 0u);
  const auto nulls = MakeGroupCodes(*Rows({Values<int32_t>(kInt32, {{}, {}, {0}})}, 3), first);
  ASSERT_TRUE(nulls.has_value());
  EXPECT_EQ(nulls->codes, (std::vector<uint16_t>{1, 1, 2}));
}

}  // namespace
}  // namespace shadowvm::exec
