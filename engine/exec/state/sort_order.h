// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/exec/state/row_set.h"

namespace shadowvm::exec {

struct SortColumn {
  int column = 0;
  bool descending = false;
  bool nulls_first = true;  // whatever the direction

  bool operator==(const SortColumn&) const = default;
};

struct SortEntry {
  uint64_t prefix;
  uint32_t row;
};

// The order of rows by keys: numbers by value, NaN largest and equal to itself, strings by bytes;
// rows equal in every key stay in their order. Rows have a 64-bit number made from as many of the
// leading keys as fit: each key becomes the fewest bits that hold its order (a range of integers,
// ranks of a dictionary, the first bytes of a string), null one bit more. Only rows of equal
// prefix, and only where bits were cut off, are compared value by value. Cores and a GPU sort by
// the same prefixes.
class SortOrder {
 public:
  // The rows outlive this.
  SortOrder(const RowSet& rows, std::span<const SortColumn> keys);

  int64_t num_rows() const { return num_rows_; }
  // Bits of the prefix in which rows can differ.
  int prefix_bits() const { return prefix_bits_; }
  // Rows of one prefix are equal in every key.
  bool is_exact() const { return first_inexact_ == keys_.size(); }
  // About which share of the rows has the prefix of rows with other keys, judged by a few of them.
  double ShareTied() const;

  // Writes the entries of rows [begin, end), or their prefixes alone, from entries[begin] on.
  void Fill(int64_t begin, int64_t end, SortEntry* entries) const;
  void Fill(int64_t begin, int64_t end, uint64_t* prefixes) const;

  // Of two rows of one prefix.
  bool IsBefore(uint32_t a, uint32_t b) const {
    const int order = is_exact() ? 0 : CompareRows(a, b);
    return order != 0 ? order < 0 : a < b;
  }

  bool operator()(const SortEntry& a, const SortEntry& b) const {
    return a.prefix != b.prefix ? a.prefix < b.prefix : IsBefore(a.row, b.row);
  }

 private:
  struct Key {
    SortColumn column;
    const RowData* data = nullptr;
    std::shared_ptr<const std::vector<uint32_t>> ranks;  // coded strings
    int64_t min = 0;                                     // integers
    int value_bits = 64;
    bool exact = true;    // equal bits, equal values
    int prefix_bits = 0;  // how many of its bits, the null bit included, are in the prefix
    int bits() const { return value_bits + (data->valid != nullptr ? 1 : 0); }
  };

  static Key MakeKey(const RowSet& rows, const SortColumn& column);
  static uint64_t Ordinal(const Key& key, int64_t row);
  template <typename Function>
  static void WithOrdinals(const Key& key, Function&& function);
  static int CompareValues(const Key& key, uint32_t a, uint32_t b);
  int CompareRows(uint32_t a, uint32_t b) const;
  // prefix_of(row) is where a row's prefix is wanted.
  template <typename PrefixOf>
  void FillPrefixes(int64_t begin, int64_t end, PrefixOf&& prefix_of) const;

  int64_t num_rows_;
  int prefix_bits_ = 0;
  std::vector<Key> keys_;
  size_t first_inexact_ = 0;  // keys before it are wholly in the prefix
};

}  // namespace shadowvm::exec
