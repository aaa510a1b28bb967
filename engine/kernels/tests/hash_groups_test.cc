// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>

#include "engine/kernels/tests/tiles.h"

namespace shadowvm::kernels::tests {
namespace {

constexpr u32 kWords = 2, kRowWords = 5;

// Groups of one worker as the host keeps them: slots that double, rows in chunks of three that
// never move.
struct Groups {
  std::array<GroupPart, kRadixParts> parts = {};
  std::array<std::vector<u64>, kRadixParts> slots;
  std::deque<std::array<i64, 3 * kRowWords>> chunks;
  std::array<i64, kRowWords> initial = {0, 0, 100, 200, 300};
  GroupsView view = {};
  KernelCall call = {};
  u32 grows_left = ~u32(0);

  explicit Groups(bool first_slots) {
    view = {parts.data(), initial.data(), kWords, kRowWords, Grow};
    call.groups = &view;
    call.interner = this;
    for (u32 part = 0; first_slots && part < kRadixParts; ++part) Rehash(part, 2);
  }
  static bool Grow(KernelCall* call, u32 part) {
    auto* self = static_cast<Groups*>(call->interner);
    if (self->grows_left-- == 0) {
      raise(call, kErrorOutOfMemory);
      return false;
    }
    GroupPart& p = self->parts[part];
    if (p.count >= p.limit) self->Rehash(part, p.slots == nullptr ? 2 : 2 * (p.mask + 1));
    if (p.end_row - p.free_row < kRowWords) {
      p.free_row = self->chunks.emplace_back().data();
      p.end_row = p.free_row + 3 * kRowWords;
    }
    return true;
  }
  void Rehash(u32 part, u64 size) {
    const std::vector<u64> old = std::move(slots[part]);
    slots[part].assign(size, 0);
    parts[part].slots = slots[part].data();
    parts[part].mask = size - 1;
    parts[part].limit = size - 1;
    for (u64 slot : old) {
      if (slot == 0) continue;
      const u64 hash = hash_words(reinterpret_cast<const u64*>(slot & kSlotPayload), kWords);
      u64 at = hash & (size - 1);
      while (slots[part][at] != 0) at = (at + 1) & (size - 1);
      slots[part][at] = slot;
    }
  }
};

class HashGroupsTest : public testing::TestWithParam<bool> {};

TEST_P(HashGroupsTest, CountsAndSumsLikeAMap) {
  Random random(41);
  Groups groups(GetParam());
  std::map<std::array<u64, kWords>, std::array<i64, 3>> expected;
  auto keys = std::make_unique<Keys<kWords>>();
  std::vector<i64*> group(kTileRows);
  ForTiles(random, [&](Tile& t) {
    settle(t);
    SVM_EACH_ROW(t) {
      const std::array<u64, kWords> key = {random() % 40, random() % 30};
      keys->word[0][j] = key[0];
      keys->word[1][j] = key[1];
      auto& sums = expected.try_emplace(key, std::array<i64, 3>{100, 200, 300}).first->second;
      ++sums[0];
      sums[1] += i;
    }
    find_groups(t, &groups.call, *keys, group.data());
    SVM_EACH_ROW(t) { count_row(group[j]); }
    SVM_EACH_ROW(t) { sum_i64(group[j] + 1, i); }
  });
  EXPECT_EQ(groups.call.error, 0u);
  u64 found = 0;
  for (u32 part = 0; part < kRadixParts; ++part) {
    for (u64 slot : groups.slots[part]) {
      if (slot == 0) continue;
      const i64* row = reinterpret_cast<const i64*>(slot & kSlotPayload);
      const auto sums = expected.find({u64(row[0]), u64(row[1])});
      ASSERT_NE(sums, expected.end());
      EXPECT_EQ(sums->second, (std::array<i64, 3>{row[2], row[3], row[4]}));
      EXPECT_EQ(part_of(hash_words(reinterpret_cast<const u64*>(row), kWords)), part);
      ++found;
    }
  }
  EXPECT_EQ(found, expected.size());
}
INSTANTIATE_TEST_SUITE_P(WithAndWithoutFirstSlots, HashGroupsTest, testing::Bool());

TEST(HashGroupsErrorTest, NoRoomEmptiesTheTile) {
  Random random(42);
  Groups groups(false);
  groups.grows_left = 10;
  auto keys = std::make_unique<Keys<kWords>>();
  for (auto& words : keys->word) {
    for (u64& word : words) word = random();
  }
  std::vector<i64*> group(kTileRows);
  Tile t(0);
  StartTile(t, 500, 1, random);
  settle(t);
  find_groups(t, &groups.call, *keys, group.data());
  EXPECT_EQ(t.count, 0u);
  EXPECT_EQ(groups.call.error, kErrorOutOfMemory);
  groups.call.row_end = 5000;
  EXPECT_FALSE(next_tile(t, &groups.call));
}

}  // namespace
}  // namespace shadowvm::kernels::tests
