// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/kernels/common/text_match.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace shadowvm::kernels::tests {
namespace {

Text Of(const std::string& text) { return make_text(text.data(), static_cast<u32>(text.size())); }

class TextMatchTest : public testing::Test {
 protected:
  // Few letters, so that matches are frequent; exactly sized copies let a sanitizer see a byte read
  // too many.
  std::string Word(size_t longest, const std::string& letters = "ab\xff") {
    std::string word(random_() % (longest + 1), ' ');
    for (char& c : word) c = letters[random_() % letters.size()];
    word.shrink_to_fit();
    return word;
  }
  std::mt19937_64 random_{5};
};

int Sign(int v) { return v < 0 ? -1 : v > 0 ? 1 : 0; }

TEST_F(TextMatchTest, SubstringCountsCharacters) {
  const auto part = [](const std::string& text, i64 first, i64 length) {
    const Text found = text_substring(Of(text), first, length);
    EXPECT_TRUE(text_equal(found, Of(std::string(found.data, found.size))));
    return std::string(found.data, found.size);
  };
  EXPECT_EQ(part("13-555", 1, 2), "13");
  EXPECT_EQ(part("13-555", 0, 2), "13");
  EXPECT_EQ(part("13-555", 4, INT32_MAX), "555");
  EXPECT_EQ(part("13-555", -3, 2), "55");
  EXPECT_EQ(part("abc", -5, 3), "a");
  EXPECT_EQ(part("abc", -5, 2), "");
  EXPECT_EQ(part("abc", 4, 1), "");
  EXPECT_EQ(part("abc", 2, 0), "");
  EXPECT_EQ(part("abc", 2, -1), "");
  EXPECT_EQ(part("", -1, 1), "");
  EXPECT_EQ(part("é日a", 2, 1), "日");
  EXPECT_EQ(part("é日a", -2, 5), "日a");
  EXPECT_EQ(part("a\xff-", 2, 2), "\xff-");
  EXPECT_EQ(part("a\xe6\x97", 2, 1), "\xe6\x97");  // cut off
}

TEST_F(TextMatchTest, ComparesAndSearchesLikeStdString) {
  for (int n = 0; n < 50000; ++n) {
    const std::string a = Word(20), b = Word(n % 2 == 0 ? 4 : 20);
    EXPECT_EQ(text_equal(Of(a), Of(b)), a == b);
    EXPECT_TRUE(text_equal(Of(a), Of(std::string(a))));
    EXPECT_EQ(Sign(text_compare(Of(a), Of(b))), Sign(a.compare(b))) << a << "|" << b;
    EXPECT_EQ(text_starts_with(Of(a), Of(b)), a.starts_with(b));
    EXPECT_EQ(text_ends_with(Of(a), Of(b)), a.ends_with(b));
    EXPECT_EQ(text_contains(Of(a), Of(b)), a.find(b) != std::string::npos);
  }
}

TEST_F(TextMatchTest, ZeroBytesHaveTheirPlaceInTheOrder) {
  const std::string shorter("ab", 2), longer("ab\0", 3), more("ab\0\1", 4);
  EXPECT_LT(text_compare(Of(shorter), Of(longer)), 0);
  EXPECT_LT(text_compare(Of(longer), Of(more)), 0);
  EXPECT_FALSE(text_equal(Of(shorter), Of(longer)));
}

bool NaiveLike(const std::string& text, const std::string& pattern, char escape, size_t at = 0,
               size_t next = 0) {
  if (next == pattern.size()) return at == text.size();
  const char c = pattern[next];
  if (c == escape) {
    return at < text.size() && text[at] == pattern[next + 1] &&
           NaiveLike(text, pattern, escape, at + 1, next + 2);
  }
  if (c == '%') {
    for (size_t skip = at; skip <= text.size(); ++skip) {
      if (NaiveLike(text, pattern, escape, skip, next + 1)) return true;
    }
    return false;
  }
  return at < text.size() && (c == '_' || text[at] == c) &&
         NaiveLike(text, pattern, escape, at + 1, next + 1);
}

TEST_F(TextMatchTest, LikeAgreesWithARecursiveMatcher) {
  int matches = 0;
  for (int n = 0; n < 100000; ++n) {
    const std::string text = Word(10, "ab%_\\");
    std::string pattern;
    for (char c : Word(7, "ab%_%\\")) {
      pattern += c;
      if (c == '\\') pattern += "%_\\"[random_() % 3];
    }
    const bool expected = NaiveLike(text, pattern, '\\');
    ASSERT_EQ(text_like(Of(text), Of(pattern), '\\'), expected) << text << " LIKE " << pattern;
    matches += expected;
  }
  EXPECT_GT(matches, 5000);
}

TEST_F(TextMatchTest, UnderscoreIsOneCharacter) {
  const auto like = [](const std::string& text, const std::string& pattern) {
    return text_like(Of(text), Of(pattern), '\\');
  };
  EXPECT_TRUE(like("é", "_"));
  EXPECT_FALSE(like("é", "__"));
  EXPECT_TRUE(like("a€b", "a_b"));
  EXPECT_FALSE(like("€", "%__"));
  EXPECT_TRUE(like("x😀y€", "%_y_"));
  EXPECT_FALSE(like("😀", "%__%"));
  EXPECT_TRUE(like("100%", "100\\%"));
  EXPECT_FALSE(like("1000", "100\\%"));
  EXPECT_TRUE(like("", "%"));
  EXPECT_FALSE(like("", "_"));
}

}  // namespace
}  // namespace shadowvm::kernels::tests
