// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/source_order.h"

#include <array>

namespace shadowvm::exec {
namespace {

constexpr int kDigitBits = 11;
constexpr uint64_t kDigits = uint64_t{1} << kDigitBits;

struct Row {
  uint64_t id;
  uint32_t place;
};

// Which bits differ between any two ids.
uint64_t DifferentBits(std::span<const uint64_t> ids) {
  uint64_t different = 0;
  for (const uint64_t id : ids) different |= id ^ ids[0];
  return different;
}

void SortByDigit(const std::vector<Row>& from, int shift, std::vector<Row>* to) {
  const auto digit = [shift](const Row& row) { return row.id >> shift & (kDigits - 1); };
  std::array<size_t, kDigits> next{};
  for (const Row& row : from) ++next[digit(row)];
  size_t begin = 0;
  for (size_t& count : next) {
    const size_t end = begin + count;
    count = begin;
    begin = end;
  }
  for (const Row& row : from) (*to)[next[digit(row)]++] = row;
}

}  // namespace

// By digits from the last on, each of which leaves equal ones as they were. Ids of one launch
// differ in few digits.
std::vector<uint32_t> SourceOrder(std::span<const uint64_t> ids) {
  std::vector<Row> rows(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) rows[i] = {ids[i], static_cast<uint32_t>(i)};
  std::vector<Row> sorted(ids.size());
  const uint64_t different = DifferentBits(ids);
  for (int shift = 0; shift < 64; shift += kDigitBits) {
    if ((different >> shift & (kDigits - 1)) == 0) continue;
    SortByDigit(rows, shift, &sorted);
    rows.swap(sorted);
  }
  std::vector<uint32_t> order;
  order.reserve(rows.size());
  for (const Row& row : rows) order.push_back(row.place);
  return order;
}

}  // namespace shadowvm::exec
