// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/exec/state/row_set.h"
#include "engine/exec/state/sorter.h"

namespace shadowvm::exec {

struct SortEntry {
  uint64_t prefix;
  uint32_t row;
};

// Orders rows by a 64-bit number made from as many of the leading keys as fit: each key becomes the
// fewest bits that hold its order (a range of integers, ranks of a dictionary, the first bytes of a
// string), null one bit more. Only rows of equal prefix, and only where bits were cut off, are
// compared value by value.
class SortOrder {
 public:
  SortOrder(const RowSet& rows, std::span<const SortColumn> keys);

  // Writes the entries of rows [begin, end).
  void Fill(int64_t begin, int64_t end, SortEntry* entries) const;

  // Entries of equal prefix have equal keys.
  bool is_exact() const { return first_inexact_ == keys_.size(); }

  bool operator()(const SortEntry& a, const SortEntry& b) const {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    if (!is_exact()) {
      const int order = CompareRows(a.row, b.row);
      if (order != 0) return order < 0;
    }
    return a.row < b.row;
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

  std::vector<Key> keys_;
  size_t first_inexact_ = 0;  // keys before it are wholly in the prefix
};

}  // namespace shadowvm::exec
