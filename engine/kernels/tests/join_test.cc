// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <gtest/gtest.h>

#include "engine/kernels/tests/tiles.h"

namespace shadowvm::kernels::tests {
namespace {

// A direct table over keys base … base + size - 1, of which some exist.
struct DirectData {
  std::vector<u8> bits, bytes;
  std::vector<u32> rows;
  std::vector<u16> codes;
  i64 base;

  DirectData(Random& random, i64 first, u64 size)
      : bits(size / 8 + 9), bytes(size), rows(size), codes(size), base(first) {
    u32 row = 0;
    for (u64 k = 0; k < size; ++k) {
      bytes[k] = Chance(random, 0.4);
      bits[k / 8] = static_cast<u8>(bits[k / 8] | bytes[k] << (k % 8));
      rows[k] = bytes[k] ? row++ : kNoRow;
      codes[k] = bytes[k] ? static_cast<u16>(1 + random() % 50) : u16(0);
    }
  }
  Direct view(bool by_bytes) const {
    Direct view = {};
    view.bits = bits.data();
    view.bytes = by_bytes ? bytes.data() : nullptr;
    view.rows = rows.data();
    view.codes = codes.data();
    view.base = base;
    view.size = bytes.size();
    return view;
  }
  bool has(i64 key) const {
    return key >= base && key - base < i64(bytes.size()) && bytes[u64(key - base)] != 0;
  }
};

template <class U>
class DirectTest : public testing::Test {
 protected:
  Random random_{11};
  u64 most_ = sizeof(U) == 1 ? 255 : 5000;
};
using Widths = testing::Types<u8, u16, u32, u64>;
TYPED_TEST_SUITE(DirectTest, Widths);

TYPED_TEST(DirectTest, UncheckedProbesOfATableThatSpansTheZone) {
  using U = TypeParam;
  const DirectData table(this->random_, -30, this->most_ + 100);
  for (bool nullable : {false, true}) {
    const auto data = MakeColumn<U>(this->random_, kColumnRows, this->most_, nullable, 10);
    const Column<U> column(data.view());
    for (bool by_bytes : {false, true}) {
      const Direct view = table.view(by_bytes);
      ForTiles(this->random_, [&](Tile& t) {
        Tile anti = t;
        const auto in = [&](u32 i) { return data.valid(i) && table.has(column[i]); };
        const auto expected = Expected(t, in);
        const auto expected_anti = Expected(t, [&](u32 i) { return !in(i); });
        keep_in(t, view, column);
        keep_not_in(anti, view, column);
        ASSERT_EQ(Positions(t), expected);
        ASSERT_EQ(Positions(anti), expected_anti);
      });
    }
  }
}

TYPED_TEST(DirectTest, CheckedProbesStayInsideTheTable) {
  using U = TypeParam;
  const DirectData table(this->random_, 100, this->most_ / 2);
  for (bool nullable : {false, true}) {
    const auto data = MakeColumn<U>(this->random_, kColumnRows, this->most_, nullable, 40);
    const Column<U> column(data.view());
    const Direct view = table.view(false);
    ForTiles(this->random_, [&](Tile& t) {
      Tile anti = t;
      const auto in = [&](u32 i) { return data.valid(i) && table.has(column[i]); };
      const auto expected = Expected(t, in);
      const auto expected_anti = Expected(t, [&](u32 i) { return !in(i); });
      keep_in_checked(t, view, column);
      keep_not_in_checked(anti, view, column);
      ASSERT_EQ(Positions(t), expected);
      ASSERT_EQ(Positions(anti), expected_anti);
    });
  }
}

TYPED_TEST(DirectTest, BuildRowsByColumnAndByKey) {
  using U = TypeParam;
  const DirectData table(this->random_, 0, this->most_ + 50);
  const auto data = MakeColumn<U>(this->random_, kColumnRows, this->most_, false, 7);
  const Column<U> column(data.view());
  const Direct view = table.view(false);
  for (u32 i = 0; i < kColumnRows; ++i) {
    const u32 row = table.rows[u64(column[i])];
    ASSERT_EQ(row_of(view, column, i), row);
    ASSERT_EQ(row_of_checked(view, column, i), row);
  }
  EXPECT_EQ(row_of_key(view, -1), kNoRow);
  EXPECT_EQ(row_of_key(view, i64(this->most_ + 50)), kNoRow);
}

TEST(DirectKeysTest, ComputedKeysOfAnyValue) {
  Random random(12);
  const DirectData table(random, -100, 1000);
  std::vector<i64> key(kTileRows);
  ForTiles(random, [&](Tile& t) {
    settle(t);
    Tile anti = t;
    std::vector<i64> by_position(kTileRows);
    SVM_EACH_ROW(t) {
      key[j] = Chance(random, 0.1) ? i64(random()) : i64(random() % 1500) - 300;
      by_position[p] = key[j];
    }
    const auto in = [&](u32 i) { return table.has(by_position[i - t.base]); };
    const auto expected = Expected(t, in);
    const auto expected_anti = Expected(t, [&](u32 i) { return !in(i); });
    keep_in_keys(t, table.view(false), key.data());
    keep_not_in_keys(anti, table.view(false), key.data());
    ASSERT_EQ(Positions(t), expected);
    ASSERT_EQ(Positions(anti), expected_anti);
  });
}

TEST(SlotsTest, SlotsAddUpCodesByStride) {
  Random random(14);
  const DirectData table(random, 0, 3000);
  const auto keys = MakeColumn<u16>(random, kColumnRows, 2900, false, 50);
  const auto small = MakeColumn<u8>(random, kColumnRows, 9, true, 1990);
  const auto strings = MakeColumn<u32>(random, kColumnRows, 4, true);
  std::vector<u32> match(kTileRows);
  for (u32& row : match) row = static_cast<u32>(random() % 3000);
  ForTiles(random, [&](Tile& t) {
    settle(t);
    Slots g;
    start_slots(t, g);
    const Column<u8> years(small.view());
    add_join_code(t, g, table.view(true), Column<u16>(keys.view()), 100000);
    add_column_code(t, g, years, 1985, 1000);
    add_nullable_column_code(t, g, years, 1990, 10, 77);
    add_code(t, g, CodeColumn(strings.view()), 3);
    add_nullable_code(t, g, CodeColumn(strings.view()), 2, 9);
    add_hash_join_code(t, g, table.codes.data(), match.data(), 5);
    SVM_EACH_ROW(t) {
      const u32 value = small.values[i], code = strings.values[i];
      const u32 expected = table.codes[keys.values[i] + 50u] * 100000u + (value + 5) * 1000 +
                           (small.valid(i) ? value : 77) * 10 + code * 3 +
                           (strings.valid(i) ? code : 9) * 2 + table.codes[match[p]] * 5u;
      ASSERT_EQ(g.slot[j], expected);
    }
  });
}

}  // namespace
}  // namespace shadowvm::kernels::tests
