// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/prefix_sort.h"

#include <array>

namespace shadowvm::exec {
namespace {

constexpr uint64_t kDigitMask = kernels::kSortDigits - 1;

uint32_t DigitOf(const SortEntry& entry, int shift) {
  return static_cast<uint32_t>(entry.prefix >> shift & kDigitMask);
}

void SortByDigit(std::span<const SortEntry> from, int shift, SortEntry* to) {
  std::array<uint32_t, kDigitMask + 1> next{};
  for (const SortEntry& entry : from) ++next[DigitOf(entry, shift)];
  uint32_t at = 0;
  for (uint32_t& place : next) {
    const uint32_t count = place;
    place = at;
    at += count;
  }
  for (const SortEntry& entry : from) to[next[DigitOf(entry, shift)]++] = entry;
}

}  // namespace

uint64_t DifferingBits(std::span<const SortEntry> entries) {
  uint64_t differing = 0;
  for (const SortEntry& entry : entries) differing |= entry.prefix ^ entries[0].prefix;
  return differing;
}

void SortByBits(std::span<SortEntry> entries, uint64_t bits, std::span<SortEntry> room) {
  std::span<SortEntry> from = entries;
  std::span<SortEntry> to = room;
  while (bits != 0) {
    const int shift = LowestDigit(bits);
    bits = WithoutDigit(bits, shift);
    SortByDigit(from, shift, to.data());
    std::swap(from, to);
  }
  if (from.data() != entries.data()) std::copy(from.begin(), from.end(), entries.begin());
}

}  // namespace shadowvm::exec
