// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/dictionary.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "engine/columns/dictionary_rule.h"

namespace shadowvm::columns {
namespace {

constexpr int64_t kPlenty = int64_t{1} << 30;

std::vector<std::string_view> Views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

TEST(Dictionary, NumbersInOrderOfAppearance) {
  memory::MemoryBudget budget(kPlenty);
  auto dictionary = Dictionary::Make(&budget).ValueOrDie();
  EXPECT_EQ(dictionary->Find("a"), -1);
  const auto codes = dictionary->Intern(Views({"pear", "", "apple", "pear"})).ValueOrDie();
  EXPECT_EQ(codes, (std::vector<uint32_t>{0, 1, 2, 0}));
  EXPECT_EQ(dictionary->size(), 3u);
  EXPECT_EQ(dictionary->at(2), "apple");
  EXPECT_EQ(dictionary->Find(""), 1);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(&dictionary->texts()[0].prefix), 4),
            "pear");
  EXPECT_EQ(*dictionary->ranks(), (std::vector<uint32_t>{2, 0, 1}));
}

TEST(Dictionary, RanksFollowGrowth) {
  memory::MemoryBudget budget(kPlenty);
  auto dictionary = Dictionary::Make(&budget).ValueOrDie();
  ASSERT_TRUE(dictionary->Intern(Views({"b"})).ok());
  const auto before = dictionary->ranks();
  ASSERT_TRUE(dictionary->Intern(Views({"a", "\xff", "b"})).ok());
  EXPECT_EQ(before->size(), 1u);
  EXPECT_EQ(*dictionary->ranks(), (std::vector<uint32_t>{1, 0, 2}));
}

TEST(Dictionary, ManyEntriesFromManyThreads) {
  memory::MemoryBudget budget(kPlenty);
  auto dictionary = Dictionary::Make(&budget).ValueOrDie();
  std::vector<std::string> texts;
  for (int i = 0; i < 20000; ++i) texts.push_back("text number " + std::to_string(i));
  std::vector<std::thread> threads;
  std::vector<std::vector<uint32_t>> codes(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] { codes[t] = dictionary->Intern(Views(texts)).ValueOrDie(); });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(dictionary->size(), texts.size());
  EXPECT_EQ(codes[0], codes[1]);
  for (size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(dictionary->at(codes[2][i]), texts[i]);
}

TEST(Dictionary, SaysWhenItIsFull) {
  memory::MemoryBudget budget(kPlenty);
  auto dictionary = Dictionary::Make(&budget).ValueOrDie();
  std::vector<std::string> texts;
  for (uint32_t i = 0; i <= Dictionary::kMaxEntries; ++i) texts.push_back(std::to_string(i));
  EXPECT_EQ(base::CodeOf(dictionary->Intern(Views(texts)).status()), base::ErrorCode::kCardinality);
  EXPECT_EQ(dictionary->size(), Dictionary::kMaxEntries);
  EXPECT_EQ(dictionary->at(Dictionary::kMaxEntries - 1),
            std::to_string(Dictionary::kMaxEntries - 1));
}

TEST(Dictionary, IsCountedAndGivenBack) {
  memory::MemoryBudget budget(1 << 20);
  auto dictionary = Dictionary::Make(&budget).ValueOrDie();
  std::vector<std::string> texts;
  for (int i = 0; i < 100000; ++i) texts.push_back(std::to_string(i));
  EXPECT_EQ(base::CodeOf(dictionary->Intern(Views(texts)).status()), base::ErrorCode::kOutOfMemory);
  EXPECT_GT(budget.used(), 0);
  dictionary.reset();
  EXPECT_EQ(budget.used(), 0);
}

TEST(DictionaryRule, KeepsFewDistinctAndSmallOnes) {
  EXPECT_TRUE(KeepsDictionary(1000, 1000));
  EXPECT_TRUE(KeepsDictionary(250'000, 1'000'000));
  EXPECT_FALSE(KeepsDictionary(250'001, 1'000'000));
}

}  // namespace
}  // namespace shadowvm::columns
