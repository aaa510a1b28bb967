// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/group_codes.h"

#include <algorithm>
#include <bit>

#include "engine/columns/frame.h"
#include "engine/exec/state/dispatch.h"
#include "engine/exec/state/text_arena.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/hash.h"

// Columns are ranked one by one and folded into the codes so far: code * ranks + rank, ranked
// again. Ranking is one look-up in a counting array where the values' range is small (codes of a
// dictionary, years, folded codes), else in a hash table.
namespace shadowvm::exec {
namespace {

constexpr uint64_t kCountingRange = 256 << 10;

// Distinct values so far, numbered in order of appearance.
struct Ranking {
  std::vector<uint16_t> ranks;  // per row, from 0
  std::vector<uint32_t> first;  // rank -> the first row that has it

  // False when the ranks run out.
  bool Add(uint32_t row, uint32_t* rank) {
    if (first.size() == GroupCodes::kMaxCodes) return false;
    *rank = static_cast<uint32_t>(first.size());
    first.push_back(row);
    return true;
  }
};

constexpr uint32_t kUnseen = UINT32_MAX;

// value(row) is below 'range'.
template <typename Value>
std::optional<Ranking> RankByCounting(int64_t num_rows, uint64_t range, Value&& value) {
  Ranking ranking;
  ranking.ranks.resize(num_rows);
  std::vector<uint32_t> seen(range, kUnseen);
  for (int64_t row = 0; row < num_rows; ++row) {
    uint32_t& rank = seen[value(row)];
    if (rank == kUnseen && !ranking.Add(static_cast<uint32_t>(row), &rank)) return std::nullopt;
    ranking.ranks[row] = static_cast<uint16_t>(rank);
  }
  return ranking;
}

template <typename Hash, typename Same>
std::optional<Ranking> RankByHash(int64_t num_rows, Hash&& hash, Same&& same) {
  const auto distinct = std::min<int64_t>(num_rows, GroupCodes::kMaxCodes + 1);
  const uint64_t mask = std::bit_ceil(static_cast<uint64_t>(2 * distinct + 2)) - 1;
  std::vector<uint32_t> slots(mask + 1, kUnseen);
  Ranking ranking;
  ranking.ranks.resize(num_rows);
  for (int64_t row = 0; row < num_rows; ++row) {
    uint64_t slot = hash(row) & mask;
    while (slots[slot] != kUnseen && !same(ranking.first[slots[slot]], row)) {
      slot = (slot + 1) & mask;
    }
    uint32_t& rank = slots[slot];
    if (rank == kUnseen && !ranking.Add(static_cast<uint32_t>(row), &rank)) return std::nullopt;
    ranking.ranks[row] = static_cast<uint16_t>(rank);
  }
  return ranking;
}

uint64_t HashOf(uint64_t word) { return kernels::finish_hash(kernels::mix_word(0, word)); }

std::optional<Ranking> RankWords(int64_t num_rows, const std::vector<uint64_t>& words) {
  return RankByHash(
      num_rows, [&](int64_t row) { return HashOf(words[row]); },
      [&](int64_t a, int64_t b) { return words[a] == words[b]; });
}

// Ranks of the values, null rows taken for some value.
std::optional<Ranking> RankIntegers(const RowData& data, int64_t num_rows) {
  const columns::Zone zone = ZoneOf(data, num_rows);
  const uint64_t range = zone.known ? columns::RangeOf(zone.min, zone.max) : 0;
  return DispatchInteger(data.column.width(), [&](auto zero) -> std::optional<Ranking> {
    const auto* values = data.values<decltype(zero)>();
    const auto offset = [&](int64_t row) {
      const uint64_t value = static_cast<uint64_t>(static_cast<int64_t>(values[row]));
      return data.is_valid(row) ? value - static_cast<uint64_t>(zone.min) : 0;
    };
    if (range < kCountingRange) return RankByCounting(num_rows, range + 1, offset);
    return RankByHash(
        num_rows, [&](int64_t row) { return HashOf(offset(row)); },
        [&](int64_t a, int64_t b) { return offset(a) == offset(b); });
  });
}

std::optional<Ranking> RankCodes(const RowData& data, int64_t num_rows) {
  const auto* codes = data.values<uint32_t>();
  const auto code = [&](int64_t row) { return data.is_valid(row) ? codes[row] : 0; };
  const uint64_t range = std::max<uint32_t>(data.column.dictionary->size(), 1);
  // A large dictionary costs a large array; only worth it when there are about as many rows.
  if (range <= std::max<uint64_t>(kCountingRange, num_rows)) {
    return RankByCounting(num_rows, range, code);
  }
  return RankByHash(
      num_rows, [&](int64_t row) { return HashOf(code(row)); },
      [&](int64_t a, int64_t b) { return code(a) == code(b); });
}

std::optional<Ranking> RankTexts(const RowData& data, int64_t num_rows) {
  const auto text = [&](int64_t row) {
    return data.is_valid(row) ? data.TextAt(row) : kernels::Text{"", 0, 0};
  };
  return RankByHash(
      num_rows, [&](int64_t row) { return kernels::hash_text(text(row)); },
      [&](int64_t a, int64_t b) { return View(text(a)) == View(text(b)); });
}

std::optional<Ranking> RankFloats(const RowData& data, int64_t num_rows) {
  const bool narrow = data.column.width() == 4;
  std::vector<uint64_t> words(num_rows);
  for (int64_t row = 0; row < num_rows; ++row) {
    if (!data.is_valid(row)) continue;
    words[row] =
        kernels::float_key(narrow ? data.values<float>()[row] : data.values<double>()[row]);
  }
  return RankWords(num_rows, words);
}

std::optional<Ranking> RankWide(const RowData& data, int64_t num_rows) {
  const auto* values = data.values<unsigned __int128>();
  const auto value = [&](int64_t row) {
    return data.is_valid(row) ? values[row] : static_cast<unsigned __int128>(0);
  };
  return RankByHash(
      num_rows,
      [&](int64_t row) {
        return HashOf(static_cast<uint64_t>(value(row)) ^ static_cast<uint64_t>(value(row) >> 64));
      },
      [&](int64_t a, int64_t b) { return value(a) == value(b); });
}

std::optional<Ranking> RankColumn(const RowData& data, int64_t num_rows) {
  if (data.column.kind == RowColumn::Kind::kCodes) return RankCodes(data, num_rows);
  if (data.column.kind == RowColumn::Kind::kText) return RankTexts(data, num_rows);
  if (data.column.type.is_wide()) return RankWide(data, num_rows);
  if (data.column.type.is_float()) return RankFloats(data, num_rows);
  return RankIntegers(data, num_rows);
}

// Ranks of pairs (ranks[row], other[row]), other below 'range'.
template <typename Other>
std::optional<Ranking> Fold(const Ranking& ranking, uint64_t range, Other&& other) {
  const auto num_rows = static_cast<int64_t>(ranking.ranks.size());
  const auto pair = [&](int64_t row) { return ranking.ranks[row] * range + other(row); };
  const uint64_t pairs = ranking.first.size() * range;
  if (pairs <= kCountingRange) return RankByCounting(num_rows, std::max<uint64_t>(pairs, 1), pair);
  return RankByHash(
      num_rows, [&](int64_t row) { return HashOf(pair(row)); },
      [&](int64_t a, int64_t b) { return pair(a) == pair(b); });
}

// A column's ranks with null as a value of its own.
std::optional<Ranking> RankNullable(const RowData& data, int64_t num_rows) {
  std::optional<Ranking> ranking = RankColumn(data, num_rows);
  if (!ranking.has_value() || data.valid == nullptr) return ranking;
  return Fold(*ranking, 2, [&](int64_t row) { return data.is_valid(row) ? 0 : 1; });
}

}  // namespace

std::optional<GroupCodes> MakeGroupCodes(const RowSet& rows, std::span<const int> columns) {
  std::optional<Ranking> all;
  for (const int column : columns) {
    std::optional<Ranking> next = RankNullable(rows.columns[column], rows.num_rows);
    if (next.has_value() && all.has_value()) {
      const uint64_t range = next->first.size();
      next = Fold(*all, range, [&](int64_t row) { return next->ranks[row]; });
    }
    if (!next.has_value()) return std::nullopt;
    all = std::move(next);
  }
  GroupCodes codes{std::move(all->ranks), std::move(all->first)};
  for (uint16_t& code : codes.codes) ++code;
  return codes;
}

}  // namespace shadowvm::exec
