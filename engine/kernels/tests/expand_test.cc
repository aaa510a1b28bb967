// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include <tuple>

#include "engine/kernels/tests/tiles.h"

namespace shadowvm::kernels::tests {
namespace {

using Pair = std::tuple<u32, u32, u32>;  // source row, position in the parent, build row

// Chains over build rows: row r is followed by r + 1 unless it ends a run of random length.
std::vector<u32> MakeChains(Random& random, u32 rows, u32 longest) {
  std::vector<u32> next(rows, kNoRow);
  for (u32 r = 0; r + 1 < rows; ++r) {
    if (random() % longest != 0) next[r] = r + 1;
  }
  return next;
}

template <class T>
std::vector<Pair> Naive(const T& t, const std::vector<u32>& first, const u32* next, bool outer) {
  std::vector<Pair> pairs;
  for (u32 p : Positions(t)) {
    if (first[p] == kNoRow && outer) pairs.emplace_back(t.source(p), p, kNoRow);
    for (u32 row = first[p]; row != kNoRow; row = next ? next[row] : kNoRow) {
      pairs.emplace_back(t.source(p), p, row);
    }
  }
  return pairs;
}

std::vector<u32> MakeMatches(Random& random, u32 rows) {
  std::vector<u32> first(kTileRows);
  for (u32& row : first) row = Chance(random, 0.3) ? kNoRow : static_cast<u32>(random() % rows);
  return first;
}

template <class T>
std::vector<Pair> Collect(T& t, const std::vector<u32>& first, const u32* next, bool outer) {
  std::vector<Pair> pairs;
  Expansion x(t, first.data(), next, outer);
  auto e = std::make_unique<ExpandedTile>();
  while (expand(x, *e)) {
    EXPECT_LE(e->count, kTileRows);
    SVM_EACH_ROW(*e) { pairs.emplace_back(i, e->origin[p], e->match[p]); }
  }
  return pairs;
}

TEST(ExpandTest, GivesEveryPairOnceAndInOrder) {
  Random random(31);
  for (u32 longest : {1u, 3u, 2000u}) {
    const auto next = MakeChains(random, 5000, longest);
    for (bool outer : {false, true}) {
      ForTiles(random, [&](Tile& t) {
        if (t.rows > 130 && longest > 10) return;  // keeps the number of pairs bounded
        const auto first = MakeMatches(random, 5000);
        const auto expected = Naive(t, first, next.data(), outer);
        ASSERT_EQ(Collect(t, first, next.data(), outer), expected);
      });
    }
  }
}

TEST(ExpandTest, UniqueKeysNeedNoChain) {
  Random random(32);
  ForTiles(random, [&](Tile& t) {
    const auto first = MakeMatches(random, 50);
    const auto expected = Naive(t, first, nullptr, false);
    ASSERT_EQ(Collect(t, first, nullptr, false), expected);
  });
}

TEST(ExpandTest, FiltersAndASecondExpansionWorkOnPairs) {
  Random random(33);
  const auto data = MakeColumn<u16>(random, kColumnRows, 999, true, 0);
  const Column<u16> column(data.view());
  const auto next = MakeChains(random, 100, 4);
  const auto first = MakeMatches(random, 100), second = MakeMatches(random, 100);
  Tile t(5);
  StartTile(t, 1000, 0.5, random);
  std::vector<Pair> expected, pairs;
  const auto passes = [&](u32 i) { return data.valid(i) && data.values[i] <= 499; };
  for (const auto& [i, p, row] : Naive(t, first, next.data(), false)) {
    if (!passes(i) || row % 2 != 0) continue;
    for (u32 r = second[p]; r != kNoRow; r = next[r]) expected.emplace_back(i, row, r);
  }
  Expansion x(t, first.data(), next.data());
  auto e = std::make_unique<ExpandedTile>(), f = std::make_unique<ExpandedTile>();
  while (expand(x, *e)) {
    keep_range(*e, column, RangeView{0, 499});
    Keeper keep(*e);
    SVM_EACH_ROW(*e) { keep.row(j, e->match[p] % 2 == 0); }
    keep.done();
    std::vector<u32> match(kTileRows);
    SVM_EACH_ROW(*e) { match[p] = second[e->origin[p]]; }
    Expansion y(*e, match.data(), next.data());
    while (expand(y, *f)) {
      SVM_EACH_ROW(*f) { pairs.emplace_back(i, e->match[f->origin[p]], f->match[p]); }
    }
  }
  EXPECT_FALSE(pairs.empty());
  EXPECT_EQ(pairs, expected);
}

}  // namespace
}  // namespace shadowvm::kernels::tests
