// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/prefix_sort.h"

#include <array>

namespace shadowvm::exec {
namespace {

constexpr uint64_t kDigitMask = kernels::kSortDigits - 1;

template <typename Entry>
uint32_t DigitOf(const Entry& entry, int shift) {
  return static_cast<uint32_t>(BitsOf(entry) >> shift & kDigitMask);
}

template <typename Entry>
void SortByDigit(std::span<Entry> from, int shift, Entry* to) {
  std::array<uint32_t, kDigitMask + 1> next{};
  for (const Entry& entry : from) ++next[DigitOf(entry, shift)];
  uint32_t at = 0;
  for (uint32_t& place : next) {
    const uint32_t count = place;
    place = at;
    at += count;
  }
  for (const Entry& entry : from) to[next[DigitOf(entry, shift)]++] = entry;
}

template <typename Entry>
void SortByDigits(std::span<Entry> entries, uint64_t bits, std::span<Entry> room) {
  std::span<Entry> from = entries;
  std::span<Entry> to = room;
  while (bits != 0) {
    const int shift = LowestDigit(bits);
    bits = WithoutDigit(bits, shift);
    SortByDigit(from, shift, to.data());
    std::swap(from, to);
  }
  if (from.data() != entries.data()) std::copy(from.begin(), from.end(), entries.begin());
}

}  // namespace

void SortByBits(std::span<SortEntry> entries, uint64_t bits, std::span<SortEntry> room) {
  SortByDigits(entries, bits, room);
}
void SortByBits(std::span<uint64_t> words, uint64_t bits, std::span<uint64_t> room) {
  SortByDigits(words, bits, room);
}

}  // namespace shadowvm::exec
