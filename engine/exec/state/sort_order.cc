// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/sort_order.h"

#include <algorithm>
#include <bit>

#include "engine/columns/frame.h"
#include "engine/exec/state/dispatch.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/text_match.h"

namespace shadowvm::exec {
namespace {

using u128 = unsigned __int128;

constexpr uint64_t kSignBit = uint64_t{1} << 63;

// Rows that tell how many others a prefix leaves together.
constexpr int64_t kLookedAt = 1024;

// Bits that order as the value: NaN above all, both zeroes equal.
uint64_t OrderedBits(double value) {
  const uint64_t bits = kernels::float_key(value);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

double FloatAt(const RowData& data, int64_t row) {
  return data.column.width() == 4 ? data.values<float>()[row] : data.values<double>()[row];
}

uint64_t FirstBytes(const kernels::Text& text) {
  uint64_t bytes = 0;
  for (unsigned i = 0; i < 8; ++i) {
    bytes = bytes << 8 | (i < text.size ? static_cast<unsigned char>(text.data[i]) : 0);
  }
  return bytes;
}

template <typename T>
int Compare(T a, T b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace

SortOrder::SortOrder(const RowSet& rows, std::span<const SortColumn> keys)
    : num_rows_(rows.num_rows) {
  bool exact = true;
  for (const SortColumn& column : keys) {
    Key key = MakeKey(rows, column);
    if (exact) {
      key.prefix_bits = std::min(key.bits(), 64 - prefix_bits_);
      exact = key.exact && key.prefix_bits == key.bits();
      prefix_bits_ += key.prefix_bits;
      if (exact) ++first_inexact_;
    }
    keys_.push_back(std::move(key));
  }
}

SortOrder::Key SortOrder::MakeKey(const RowSet& rows, const SortColumn& column) {
  Key key;
  key.column = column;
  key.data = &rows.columns[column.column];
  const RowColumn& type = key.data->column;
  if (type.kind == RowColumn::Kind::kCodes) {
    key.ranks = type.dictionary->ranks();
    key.value_bits = std::bit_width(key.ranks->size());
  } else if (type.is_integer()) {
    const columns::Zone zone = ZoneOf(*key.data, rows.num_rows);
    key.min = zone.min;
    key.value_bits = std::bit_width(columns::RangeOf(zone.min, zone.max));
  } else {
    key.exact = type.kind == RowColumn::Kind::kValue && type.type.is_float();
  }
  return key;
}

// The value as an unsigned number of value_bits bits that orders as it, ascending.
uint64_t SortOrder::Ordinal(const Key& key, int64_t row) {
  const RowColumn& type = key.data->column;
  if (key.ranks != nullptr) return (*key.ranks)[key.data->values<uint32_t>()[row]];
  if (type.kind == RowColumn::Kind::kText) return FirstBytes(key.data->TextAt(row));
  if (type.type.is_float()) return OrderedBits(FloatAt(*key.data, row));
  if (type.type.is_wide()) {
    return static_cast<uint64_t>(key.data->values<u128>()[row] >> 64) ^ kSignBit;
  }
  return static_cast<uint64_t>(key.data->Integer(row)) - static_cast<uint64_t>(key.min);
}

// Calls function(ordinal) with what gives a row's Ordinal: what kind of key it is of is asked once.
template <typename Function>
void SortOrder::WithOrdinals(const Key& key, Function&& function) {
  if (key.ranks != nullptr) {
    const uint32_t* const ranks = key.ranks->data();
    const auto* const codes = key.data->values<uint32_t>();
    function([=](int64_t row) { return uint64_t{ranks[codes[row]]}; });
  } else if (key.data->column.is_integer()) {
    const auto min = static_cast<uint64_t>(key.min);
    DispatchInteger(key.data->column.width(), [&](auto zero) {
      const auto* const values = key.data->values<decltype(zero)>();
      function([=](int64_t row) { return static_cast<uint64_t>(int64_t{values[row]}) - min; });
    });
  } else {
    function([&](int64_t row) { return Ordinal(key, row); });
  }
}

template <typename PrefixOf>
void SortOrder::FillPrefixes(int64_t begin, int64_t end, PrefixOf&& prefix_of) const {
  for (int64_t row = begin; row < end; ++row) prefix_of(row) = 0;
  for (const Key& key : keys_) {
    if (key.prefix_bits == 0) continue;
    const int cut = key.bits() - key.prefix_bits;
    const u128 mask = (u128{1} << key.value_bits) - 1;
    const u128 flipped = key.column.descending ? mask : 0;
    const bool nullable = key.data->valid != nullptr;
    // Most keys are not null and wholly in the prefix, beside others.
    const bool simple = !nullable && cut == 0 && key.prefix_bits < 64;
    WithOrdinals(key, [&](auto&& ordinal) {
      for (int64_t row = begin; simple && row < end; ++row) {
        uint64_t& prefix = prefix_of(row);
        prefix = prefix << key.prefix_bits | (ordinal(row) ^ static_cast<uint64_t>(flipped));
      }
      if (simple) return;
      for (int64_t row = begin; row < end; ++row) {
        const bool valid = !nullable || key.data->is_valid(row);
        u128 bits = valid ? ordinal(row) ^ flipped : 0;
        if (nullable) bits |= u128{valid == key.column.nulls_first} << key.value_bits;
        uint64_t& prefix = prefix_of(row);
        const u128 shifted = static_cast<u128>(prefix) << key.prefix_bits;
        prefix = static_cast<uint64_t>(shifted | bits >> cut);
      }
    });
  }
}

void SortOrder::Fill(int64_t begin, int64_t end, SortEntry* entries) const {
  for (int64_t row = begin; row < end; ++row) entries[row].row = static_cast<uint32_t>(row);
  FillPrefixes(begin, end, [=](int64_t row) -> uint64_t& { return entries[row].prefix; });
}

void SortOrder::Fill(int64_t begin, int64_t end, uint64_t* prefixes) const {
  FillPrefixes(begin, end, [=](int64_t row) -> uint64_t& { return prefixes[row]; });
}

double SortOrder::ShareTied() const {
  const int64_t count = is_exact() ? 0 : std::min(num_rows_, kLookedAt);
  std::vector<SortEntry> entries(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = num_rows_ * i / count;
    entries[i].row = static_cast<uint32_t>(row);
    FillPrefixes(row, row + 1, [&](int64_t) -> uint64_t& { return entries[i].prefix; });
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const SortEntry& a, const SortEntry& b) { return a.prefix < b.prefix; });
  int64_t tied = 0;
  for (int64_t i = 1; i < count; ++i) {
    const SortEntry &a = entries[i - 1], &b = entries[i];
    tied += a.prefix == b.prefix && CompareRows(a.row, b.row) != 0;
  }
  return count == 0 ? 0 : static_cast<double>(tied) / static_cast<double>(count);
}

int SortOrder::CompareValues(const Key& key, uint32_t a, uint32_t b) {
  const RowData& data = *key.data;
  if (key.ranks != nullptr || data.column.is_integer()) {
    return Compare(Ordinal(key, a), Ordinal(key, b));
  }
  if (data.column.kind == RowColumn::Kind::kText) {
    return kernels::text_compare(data.TextAt(a), data.TextAt(b));
  }
  if (data.column.type.is_wide()) {
    return Compare(data.values<__int128>()[a], data.values<__int128>()[b]);
  }
  return kernels::float_compare(FloatAt(data, a), FloatAt(data, b));
}

int SortOrder::CompareRows(uint32_t a, uint32_t b) const {
  for (size_t i = first_inexact_; i < keys_.size(); ++i) {
    const Key& key = keys_[i];
    const bool a_valid = key.data->is_valid(a);
    const bool b_valid = key.data->is_valid(b);
    if (a_valid != b_valid) return a_valid == key.column.nulls_first ? 1 : -1;
    if (!a_valid) continue;
    const int order = CompareValues(key, a, b);
    if (order != 0) return key.column.descending ? -order : order;
  }
  return 0;
}

}  // namespace shadowvm::exec
