// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include "engine/kernels/tests/tiles.h"

namespace shadowvm::kernels::tests {
namespace {

template <class U>
class KeepTest : public testing::Test {
 protected:
  Random random_{7};
};
using Widths = testing::Types<u8, u16, u32, u64>;
TYPED_TEST_SUITE(KeepTest, Widths);

TYPED_TEST(KeepTest, RangeKeepsWhatLiesInIt) {
  using U = TypeParam;
  constexpr u64 kMost = U(~U(0));
  const std::vector<RangeView> ranges = {
      {10, 100}, {0, 0},    {kMost / 2, kMost / 4}, {0, kMost}, {kMost / 2, ~u64(0)},
      {3, 20},   {kMost, 0}};
  for (bool nullable : {false, true}) {
    for (u64 most : {u64(200), kMost}) {
      const auto data = MakeColumn<U>(this->random_, kColumnRows, most, nullable, -50);
      const Column<U> column(data.view());
      for (const RangeView& range : ranges) {
        ForTiles(this->random_, [&](Tile& t) {
          const auto expected = Expected(t, [&](u32 i) {
            return data.valid(i) && data.values[i] >= range.low &&
                   data.values[i] - range.low <= range.length;
          });
          keep_range(t, column, range);
          ASSERT_EQ(Positions(t), expected);
        });
      }
    }
  }
}

TYPED_TEST(KeepTest, RangeBeyondTheWidthKeepsNothing) {
  using U = TypeParam;
  if (sizeof(U) == 8) return;  // every bound fits
  const auto data = MakeColumn<U>(this->random_, kColumnRows, 200, false);
  Tile t(0);
  StartTile(t, 100, 1, this->random_);
  keep_range(t, Column<U>(data.view()), RangeView{u64(U(~U(0))) + 1, 5});
  EXPECT_EQ(t.count, 0u);
}

TYPED_TEST(KeepTest, ValidAndNullSplitTheTile) {
  using U = TypeParam;
  for (bool nullable : {false, true}) {
    const auto data = MakeColumn<U>(this->random_, kColumnRows, 100, nullable);
    const Column<U> column(data.view());
    ForTiles(this->random_, [&](Tile& t) {
      Tile nulls = t;
      const auto valid = Expected(t, [&](u32 i) { return data.valid(i); });
      const auto null = Expected(t, [&](u32 i) { return !data.valid(i); });
      keep_valid(t, column);
      keep_null(nulls, column);
      ASSERT_EQ(Positions(t), valid);
      ASSERT_EQ(Positions(nulls), null);
    });
  }
}

TEST(KeepPassTest, KeepsCodesThatPass) {
  Random random(3);
  std::vector<u8> pass(500);
  for (u8& p : pass) p = Chance(random, 0.3);
  for (bool nullable : {false, true}) {
    const auto data = MakeColumn<u32>(random, kColumnRows, pass.size() - 1, nullable);
    ForTiles(random, [&](Tile& t) {
      const auto expected =
          Expected(t, [&](u32 i) { return data.valid(i) && pass[data.values[i]] != 0; });
      keep_pass(t, CodeColumn(data.view()), PassView{pass.data()});
      ASSERT_EQ(Positions(t), expected);
    });
  }
}

TEST(KeeperTest, KeepsRowsByAnyPredicate) {
  Random random(4);
  ForTiles(random, [&](Tile& t) {
    const auto expected = Expected(t, [&](u32 i) { return i % 3 == 0; });
    Keeper keep(t);
    SVM_EACH_ROW(t) { keep.row(j, i % 3 == 0); }
    keep.done();
    ASSERT_EQ(Positions(t), expected);
  });
}

TEST(TileTest, TilesCoverTheRowsOnce) {
  for (u32 end : {5u, 6u, 2052u, 2053u, 2054u, 10000u}) {
    KernelCall call = {};
    call.row_begin = 5;
    call.row_end = end;
    u32 next = 5;
    SVM_FOR_EACH_TILE(t, &call) {
      SVM_END_STEPS(t, &call);
      SVM_EACH_ROW(t) { ASSERT_EQ(i, next++); }
    }
    EXPECT_EQ(next, end);
  }
}

TEST(TileTest, StopsAfterAnErrorAndWhenCancelled) {
  KernelCall call = {};
  call.row_end = 10000;
  u32 cancelled = 0, tiles = 0;
  call.cancelled = &cancelled;
  SVM_FOR_EACH_TILE(t, &call) { cancelled = ++tiles == 2; }
  EXPECT_EQ(tiles, 2u);
  cancelled = 0;
  SVM_FOR_EACH_TILE(t, &call) {
    ++tiles;
    raise(&call, kErrorOverflow);
    raise(&call, kErrorDivideByZero);
  }
  EXPECT_EQ(tiles, 3u);
  EXPECT_EQ(call.error, kErrorOverflow);
}

TEST(TileTest, StepsRunInOrderUntilNoRowIsLeft) {
  const u8 order[] = {2, 0, 1};
  KernelCall call = {};
  call.row_end = 10;
  call.order = order;
  call.num_steps = 3;
  std::vector<u32> seen;
  SVM_FOR_EACH_TILE(t, &call) {
    SVM_FOR_EACH_STEP(step, t, &call) {
      seen.push_back(step);
      if (step == 0) t.count = 0;
    }
    SVM_END_STEPS(t, &call);
    FAIL() << "an empty tile reached the sink";
  }
  EXPECT_EQ(seen, (std::vector<u32>{2, 0}));
}

TEST(TileTest, MeasuringCountsAndStopsBeforeTheSink) {
  u64 survivors = 7;
  KernelCall call = {};
  call.row_end = 5000;
  call.survivors = &survivors;
  SVM_FOR_EACH_TILE(t, &call) {
    SVM_END_STEPS(t, &call);
    FAIL() << "measuring reached the sink";
  }
  EXPECT_EQ(survivors, 5007u);
}

}  // namespace
}  // namespace shadowvm::kernels::tests
