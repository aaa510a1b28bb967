// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/arrow_arrays.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/base/fault.h"

namespace shadowvm::columns {
namespace {

constexpr Type kString{TypeKind::kString, 0, 0};

// Strings 'begin' … 'end' in arrays of at most 'most' bytes; one that is "null" is.
base::Result<arrow::ArrayVector> Arrays(const std::vector<std::string>& texts, int64_t begin,
                                        int64_t most) {
  ArrowRoom room;
  return MakeTextArrays(
      kString, begin, static_cast<int64_t>(texts.size()), true, &room,
      [&](int64_t row) { return texts[row] != "null"; },
      [&](int64_t row) { return std::string_view(texts[row]); }, most);
}

TEST(TextArrays, AreCutWhereTheyWouldHoldTooMuch) {
  const std::vector<std::string> texts = {"skipped", "abc",         "", "null", "de",
                                          "f",       "longer than", ""};
  const auto arrays = Arrays(texts, 1, 5).ValueOrDie();
  std::vector<int64_t> lengths;
  int64_t row = 1;
  for (const auto& array : arrays) {
    ASSERT_TRUE(array->ValidateFull().ok()) << array->ValidateFull().ToString();
    lengths.push_back(array->length());
    const auto& strings = static_cast<const arrow::StringArray&>(*array);
    for (int64_t i = 0; i < strings.length(); ++i, ++row) {
      ASSERT_EQ(strings.IsNull(i), texts[row] == "null") << row;
      if (strings.IsNull(i)) continue;
      ASSERT_EQ(strings.GetView(i), texts[row]) << row;
    }
  }
  // "f" does not fit beside five bytes, and one string too long for any array stands alone.
  EXPECT_EQ(lengths, (std::vector<int64_t>{4, 1, 1, 1}));
}

TEST(TextArrays, HoldStringsOfEveryLength) {
  std::vector<std::string> texts;
  for (char length = 0; length < 70; ++length) {
    std::string& text = texts.emplace_back();
    for (char i = 0; i < length; ++i) text.push_back(static_cast<char>('!' + (length + i) % 90));
  }
  const auto arrays = Arrays(texts, 0, kMostText).ValueOrDie();
  ASSERT_EQ(arrays.size(), 1u);
  const auto& strings = static_cast<const arrow::StringArray&>(*arrays[0]);
  ASSERT_TRUE(strings.ValidateFull().ok());
  for (int64_t row = 0; row < strings.length(); ++row) {
    ASSERT_EQ(strings.GetView(row), texts[row]) << row;
  }
}

TEST(TextArrays, OfNoRowsAreOne) {
  const auto arrays = Arrays({}, 0, kMostText).ValueOrDie();
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0]->length(), 0);
  EXPECT_TRUE(arrays[0]->ValidateFull().ok());
}

TEST(TextArrays, SaySoWhenThereIsNoMemory) {
  for (const char* which : {"1", "2", "3"}) {
    ASSERT_TRUE(base::ArmFaults(std::string("columns.export=nth:") + which + ":oom").ok());
    EXPECT_EQ(base::CodeOf(Arrays({"a", "null"}, 0, kMostText).status()),
              base::ErrorCode::kOutOfMemory);
    base::DisarmFaults();
  }
}

TEST(TextArrays, NoArrayHoldsAStringOfMoreThanItsOffsets) {
  EXPECT_TRUE(CheckText(kMostText).ok());
  EXPECT_EQ(base::CodeOf(CheckText(kMostText + 1)), base::ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace shadowvm::columns
