// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "engine/kernels/tests/tiles.h"

namespace shadowvm::kernels::tests {
namespace {

// A join table of distinct keys of W words, built as the host builds it.
template <u32 W>
struct HashData {
  std::vector<u64> slots, keys;
  std::map<std::array<u64, W>, u32> rows;

  // With 'crowded' the table is nearly full, so that chains of slots are long and wrap around.
  HashData(Random& random, u32 count, u64 most, bool crowded) {
    u64 size = 1;
    while (size <= count) size *= 2;
    slots.resize(crowded ? size : size * 4);
    while (rows.size() < count) Insert(random, most);
  }
  void Insert(Random& random, u64 most) {
    std::array<u64, W> key;
    for (u64& word : key) word = random() % most;
    const u32 row = static_cast<u32>(rows.size());
    if (!rows.emplace(key, row).second) return;
    keys.insert(keys.end(), key.begin(), key.end());
    const u64 hash = hash_words(key.data(), W);
    u64 at = hash & (slots.size() - 1);
    while (slots[at] != 0) at = (at + 1) & (slots.size() - 1);
    slots[at] = make_slot(hash, row + 1);
  }
  HashView view() const {
    HashView view = {};
    view.slots = slots.data();
    view.mask = slots.size() - 1;
    view.keys = keys.data();
    return view;
  }
  u32 Find(const std::array<u64, W>& key) const {
    const auto found = rows.find(key);
    return found == rows.end() ? kNoRow : found->second;
  }
};

template <u32 W>
void CheckProbes(Random& random, const HashData<W>& table, u64 most) {
  auto keys = std::make_unique<Keys<W>>();
  ForTiles(random, [&](Tile& t) {
    settle(t);
    std::vector<u32> expected(kTileRows, 12345), match = expected, outer = expected;
    SVM_EACH_ROW(t) {
      std::array<u64, W> key;
      for (u32 w = 0; w < W; ++w) key[w] = keys->word[w][j] = random() % most;
      expected[p] = table.Find(key);
    }
    Tile exists = t, absent = t, all = t;
    const auto is_there = [&](u32 i) { return expected[i - t.base] != kNoRow; };
    const auto there = Expected(t, is_there);
    const auto not_there = Expected(t, [&](u32 i) { return !is_there(i); });
    match_hash(all, table.view(), *keys, outer.data());
    probe_hash_exists(exists, table.view(), *keys);
    probe_hash_absent(absent, table.view(), *keys);
    probe_hash(t, table.view(), *keys, match.data());
    ASSERT_EQ(outer, expected);
    ASSERT_EQ(Positions(t), there);
    ASSERT_EQ(Positions(exists), there);
    ASSERT_EQ(Positions(absent), not_there);
    for (u32 p : there) ASSERT_EQ(match[p], expected[p]);
  });
}

TEST(HashJoinTest, OneWord) {
  Random random(21);
  for (bool crowded : {false, true}) {
    CheckProbes(random, HashData<1>(random, 511, 1000, crowded), 1000);
  }
}
TEST(HashJoinTest, ThreeWords) {
  Random random(22);
  for (bool crowded : {false, true}) {
    CheckProbes(random, HashData<3>(random, 127, 6, crowded), 6);
  }
}
TEST(HashJoinTest, EmptyTable) {
  Random random(23);
  CheckProbes(random, HashData<2>(random, 0, 5, true), 5);
}

TEST(HashTest, TagsSlotsAndPartsUseDifferentBits) {
  const u64 word = 42, hash = hash_words(&word, 1);
  EXPECT_TRUE(same_tag(make_slot(hash, 7), hash));
  EXPECT_EQ(make_slot(hash, 7) & kSlotPayload, 7u);
  EXPECT_FALSE(same_tag(make_slot(hash, 7), hash ^ u64(1) << 40));
  EXPECT_TRUE(same_tag(make_slot(hash, 7), hash ^ u64(1) << 60 ^ 1));
  EXPECT_EQ(part_of(~u64(0)), kRadixParts - 1);
}

TEST(HashTest, SmallKeysSpreadOverPartsAndSlots) {
  std::vector<u32> parts(kRadixParts), slots(1024);
  for (u64 key = 0; key < 65536; ++key) {
    const u64 hash = hash_words(&key, 1);
    ++parts[part_of(hash)];
    ++slots[hash & 1023];
  }
  for (u32 count : parts) EXPECT_NEAR(count, 1024, 300);
  for (u32 count : slots) EXPECT_NEAR(count, 64, 60);
}

TEST(HashTest, TextsDifferByEveryByteAndByLength) {
  std::string text(40, 'a');
  std::vector<u64> seen;
  for (u32 size = 0; size <= 40; ++size) seen.push_back(hash_text(make_text(text.data(), size)));
  for (char& c : text) {
    c = 'b';
    seen.push_back(hash_text(make_text(text.data(), 40)));
    c = 'a';
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

}  // namespace
}  // namespace shadowvm::kernels::tests
