// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/text_interner.h"

#include <map>
#include <set>
#include <thread>

#include "engine/exec/state/tests/state_test.h"

namespace shadowvm::exec {
namespace {

class TextInternerTest : public StateTest {};

TEST_F(TextInternerTest, IdsAndCopiesStay) {
  TextInterner interner(&budget_);
  std::map<std::string, uint32_t> ids;
  std::map<std::string, const char*> copies;
  for (int i = 0; i < 20000; ++i) {
    const std::string value = "value " + std::to_string(random_() % 7000);
    const uint32_t id = interner.Intern(MakeText(value)).ValueOrDie();
    const auto [entry, added] = ids.emplace(value, id);
    EXPECT_EQ(entry->second, id);
    if (added) copies[value] = interner.At(id).data;
  }
  std::set<uint32_t> distinct;
  for (const auto& [value, id] : ids) {
    distinct.insert(id);
    EXPECT_EQ(interner.Find(MakeText(value)), id);
    EXPECT_EQ(View(interner.At(id)), value);
    EXPECT_EQ(interner.At(id).data, copies[value]);
  }
  EXPECT_EQ(distinct.size(), ids.size());
  EXPECT_EQ(interner.Find(MakeText("absent")), kernels::kNoRow);
}

TEST_F(TextInternerTest, EmptyAndLongStrings) {
  TextInterner interner(&budget_);
  const std::string large(3 << 20, 'x');
  const uint32_t empty = interner.Intern(MakeText("")).ValueOrDie();
  const uint32_t long_id = interner.Intern(MakeText(large)).ValueOrDie();
  EXPECT_NE(empty, long_id);
  EXPECT_EQ(interner.Intern(MakeText("")).ValueOrDie(), empty);
  EXPECT_EQ(View(interner.At(long_id)), large);
}

TEST_F(TextInternerTest, ThreadsAgree) {
  TextInterner interner(&budget_);
  std::vector<std::vector<uint32_t>> ids(4, std::vector<uint32_t>(2000));
  std::vector<std::thread> threads;
  for (auto& mine : ids) {
    threads.emplace_back([&interner, &mine] {
      for (size_t i = 0; i < mine.size(); ++i) {
        mine[i] = interner.Intern(MakeText(std::to_string(i))).ValueOrDie();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : ids) EXPECT_EQ(mine, ids[0]);
}

TEST_F(TextInternerTest, FailsCleanly) {
  ExpectCleanAtEveryAllocation([&]() -> base::Status {
    TextInterner interner(&budget_);
    for (int i = 0; i < 600; ++i) {
      const auto id = interner.Intern(MakeText(std::to_string(i)));
      if (!id.ok()) {
        // What was there still is, and the failed string can be added later.
        base::DisarmFaults();
        EXPECT_EQ(interner.Find(MakeText(std::to_string(i))), kernels::kNoRow);
        EXPECT_TRUE(interner.Intern(MakeText(std::to_string(i))).ok());
        for (int j = 0; j <= i; ++j) {
          EXPECT_NE(interner.Find(MakeText(std::to_string(j))), kernels::kNoRow);
        }
        return id.status();
      }
    }
    return base::Status::OK();
  });
}

}  // namespace
}  // namespace shadowvm::exec
