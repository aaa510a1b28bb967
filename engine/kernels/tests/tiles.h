// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/kernels/cpu/verbs.h"

namespace shadowvm::kernels::tests {

// Tiles of one row, around block borders, and full ones.
inline const std::vector<u32> kTileSizes = {1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 1000, 2047, 2048};
inline const std::vector<u32> kTileBases = {0, 5, 4096};

using Random = std::mt19937_64;

inline bool Chance(Random& random, double probability) {
  return std::uniform_real_distribution<>(0, 1)(random) < probability;
}

// One column of 'rows' rows and its bitmap, padded as segments are.
template <class U>
struct ColumnData {
  std::vector<U> values;
  std::vector<u64> validity;
  i64 base = 0;
  bool nullable = false;

  ColumnView view() const {
    ColumnView view = {};
    view.data = values.data();
    view.base = base;
    view.validity = nullable ? validity.data() : nullptr;
    return view;
  }
  bool valid(u32 i) const { return !nullable || (validity[i / 64] >> (i % 64) & 1); }
};

// Random offsets of 0 … most.
template <class U>
ColumnData<U> MakeColumn(Random& random, u32 rows, u64 most, bool nullable, i64 base = 0) {
  ColumnData<U> column;
  column.base = base;
  column.nullable = nullable;
  column.values.resize(rows + 64 / sizeof(U));
  std::uniform_int_distribution<u64> offset(0, most);
  for (u32 i = 0; i < rows; ++i) column.values[i] = static_cast<U>(offset(random));
  column.validity.resize(rows / 64 + 2);
  for (u64& word : column.validity) word = random() | random();
  return column;
}

// A tile of which all rows are alive, or a random part.
inline void StartTile(Tile& t, u32 rows, double alive, Random& random) {
  t.rows = t.count = rows;
  t.all = true;
  if (alive >= 1) return;
  t.all = false;
  t.count = 0;
  for (u32 p = 0; p < rows; ++p) {
    if (Chance(random, alive)) t.selection[t.count++] = static_cast<u16>(p);
  }
}

template <class T>
std::vector<u32> Positions(const T& tile) {
  T t = tile;  // settling must not change the caller's tile
  settle(t);
  return std::vector<u32>(t.selection, t.selection + t.count);
}

// Calls check(tile) for every size, base, and share of rows alive.
template <class Check>
void ForTiles(Random& random, const Check& check) {
  for (u32 rows : kTileSizes) {
    for (u32 base : kTileBases) {
      for (double alive : {1.0, 0.9, 0.2, 0.0}) {
        Tile t(base);
        StartTile(t, rows, alive, random);
        check(t);
      }
    }
  }
}
inline constexpr u32 kColumnRows = 4096 + 2048;

// The positions alive for which 'keeps' says yes of the segment's row.
template <class T, class Keeps>
std::vector<u32> Expected(const T& t, const Keeps& keeps) {
  std::vector<u32> kept = Positions(t);
  std::erase_if(kept, [&](u32 p) { return !keeps(t.source(p)); });
  return kept;
}

}  // namespace shadowvm::kernels::tests
