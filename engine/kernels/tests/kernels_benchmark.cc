// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

// Nanoseconds a row of the verbs that star joins spend their time in. Prints the least of several
// passes; not a test.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <vector>

#include "engine/kernels/cpu/verbs.h"

namespace shadowvm::kernels {
namespace {

// Rows of the columns: the default streams from memory, some 10,000 stay in the cache and show the
// verbs alone.
u32 num_rows = 1u << 23;
constexpr u64 kTotalRows = 1u << 25;
using Random = std::mt19937_64;

template <class U>
std::vector<U> RandomOffsets(u64 most) {
  Random random(most);
  std::vector<U> offsets(num_rows + 64);
  for (U& offset : offsets) offset = static_cast<U>(random() % (most + 1));
  return offsets;
}

// A key set: each of 'size' keys is in it with the probability 1 / one_in.
struct KeySet {
  std::vector<u8> bits, bytes;
  std::vector<u16> codes;
  KeySet(u64 size, u64 one_in) : bits(size / 8 + 9), bytes(size), codes(size) {
    Random random(size);
    for (u64 k = 0; k < size; ++k) {
      bytes[k] = random() % one_in == 0;
      bits[k / 8] = static_cast<u8>(bits[k / 8] | bytes[k] << (k % 8));
      codes[k] = static_cast<u16>(bytes[k] ? 1 + random() % 40 : 0);
    }
  }
  Direct view(bool by_bytes) const {
    Direct view = {};
    view.bits = bits.data();
    view.bytes = by_bytes ? bytes.data() : nullptr;
    view.codes = codes.data();
    view.size = bytes.size();
    return view;
  }
};

template <class U>
Column<U> ColumnOf(const std::vector<U>& offsets) {
  ColumnView view = {};
  view.data = offsets.data();
  return Column<U>(view);
}

// Prints the median over tiles of work(tile), so that a busy machine disturbs little.
template <class Work>
void Measure(const char* name, const Work& work) {
  std::vector<double> per_row;
  u64 left = 0;
  for (u64 done = 0; done < kTotalRows; done += num_rows) {
    KernelCall call = {};
    call.row_end = num_rows;
    SVM_FOR_EACH_TILE(t, &call) {
      u64 rows = 0;
      const double nanoseconds = work(t, &rows);
      per_row.push_back(nanoseconds / double(rows));
      left += t.count;
    }
  }
  std::nth_element(per_row.begin(), per_row.begin() + i64(per_row.size() / 2), per_row.end());
  std::printf("%-44s %7.3f ns/row  (%.1f %% left)\n", name, per_row[per_row.size() / 2],
              100.0 * double(left) / double(kTotalRows));
}

// Times one verb a tile; the clock's own cost is a few hundredths of a nanosecond a row.
template <class Verb>
double Timed(Tile& t, u64* rows, const Verb& verb) {
  *rows += t.count;
  const auto begin = std::chrono::steady_clock::now();
  verb(t);
  __asm__ volatile("" : : "r"(t.selection) : "memory");
  return double((std::chrono::steady_clock::now() - begin).count());
}

void MeasureRanges() {
  const auto narrow = RandomOffsets<u8>(99);
  const auto middle = RandomOffsets<u16>(9999);
  const auto wide = RandomOffsets<u32>(999999);
  Measure("keep_range u8, dense", [&](Tile& t, u64* rows) {
    return Timed(t, rows,
                 [&](Tile& tile) { keep_range(tile, ColumnOf(narrow), RangeView{10, 19}); });
  });
  Measure("keep_range u16, dense", [&](Tile& t, u64* rows) {
    return Timed(t, rows,
                 [&](Tile& tile) { keep_range(tile, ColumnOf(middle), RangeView{10, 1999}); });
  });
  Measure("keep_range u32, dense", [&](Tile& t, u64* rows) {
    return Timed(t, rows,
                 [&](Tile& tile) { keep_range(tile, ColumnOf(wide), RangeView{10, 199999}); });
  });
}

void MeasureJoins() {
  const auto suppkey = RandomOffsets<u16>(19999);
  const auto partkey = RandomOffsets<u32>(799999);
  const auto date = RandomOffsets<u16>(2555);
  const auto revenue = RandomOffsets<u32>(6000000);
  const KeySet suppliers(20000, 5), parts(800000, 5), dates(2556, 1);
  for (bool by_bytes : {true, false}) {
    Measure(by_bytes ? "keep_in u16, 20k byte map, dense" : "keep_in u16, 20k bitmap, dense",
            [&](Tile& t, u64* rows) {
              return Timed(t, rows, [&](Tile& tile) {
                keep_in(tile, suppliers.view(by_bytes), ColumnOf(suppkey));
              });
            });
  }
  Measure("keep_in u32, 800k bitmap, dense", [&](Tile& t, u64* rows) {
    return Timed(t, rows, [&](Tile& tile) { keep_in(tile, parts.view(false), ColumnOf(partkey)); });
  });
  Measure("keep_in u32, 800k bitmap, of 20 % selected", [&](Tile& t, u64* rows) {
    keep_in(t, suppliers.view(true), ColumnOf(suppkey));
    return Timed(t, rows, [&](Tile& tile) { keep_in(tile, parts.view(false), ColumnOf(partkey)); });
  });
  std::vector<i64> sums(2 * 41 * 2556);
  i64* const dense = sums.data();
  Measure("group by two codes and sum, of 4 % selected", [&](Tile& t, u64* rows) {
    keep_in(t, suppliers.view(true), ColumnOf(suppkey));
    keep_in(t, parts.view(false), ColumnOf(partkey));
    return Timed(t, rows, [&](Tile& tile) {
      const Column<u32> value = ColumnOf(revenue);
      Slots g;
      start_slots(tile, g);
      add_join_code(tile, g, dates.view(false), ColumnOf(date), 41);
      add_join_code(tile, g, parts.view(false), ColumnOf(partkey), 1);
      SVM_EACH_ROW(tile) { count_row(dense_row(dense, g, j, 2)); }
      SVM_EACH_ROW(tile) { sum_i64(dense_row(dense, g, j, 2) + 1, value[i]); }
    });
  });
}

}  // namespace
}  // namespace shadowvm::kernels

// kernels_benchmark [rows]
int main(int argc, char** argv) {
  using shadowvm::kernels::num_rows;
  if (argc > 1) num_rows = static_cast<unsigned>(std::atoi(argv[1]));
  shadowvm::kernels::MeasureRanges();
  shadowvm::kernels::MeasureJoins();
  return 0;
}
