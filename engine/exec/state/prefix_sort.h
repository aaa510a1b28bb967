// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "engine/exec/state/sort_order.h"
#include "engine/kernels/common/sort.h"

namespace shadowvm::exec {

// Where the lowest digit begins that holds a bit in which prefixes differ; there is one. Cores and
// a GPU take the same digits.
inline int LowestDigit(uint64_t differing) {
  return std::min(std::countr_zero(differing), 64 - static_cast<int>(kernels::kDigitBits));
}
// The bits that are left above it.
inline uint64_t WithoutDigit(uint64_t differing, int shift) {
  return differing & ~(uint64_t{kernels::kSortDigits - 1} << shift);
}

// What is sorted: entries by their prefixes, or words as they are.
inline uint64_t BitsOf(const SortEntry& entry) { return entry.prefix; }
inline uint64_t BitsOf(uint64_t word) { return word; }

// The bits in which they differ.
template <typename Entry>
uint64_t DifferingBits(std::span<Entry> entries) {
  uint64_t differing = 0;
  for (const Entry& entry : entries) differing |= BitsOf(entry) ^ BitsOf(entries[0]);
  return differing;
}

// Sorts them by these bits; those that are equal in them keep their order. Digit by digit, the last
// one first. 'room' is as long as 'entries'.
void SortByBits(std::span<SortEntry> entries, uint64_t bits, std::span<SortEntry> room);
void SortByBits(std::span<uint64_t> words, uint64_t bits, std::span<uint64_t> room);

// The same by whole prefixes.
inline void SortByPrefix(std::span<SortEntry> entries, std::span<SortEntry> room) {
  SortByBits(entries, DifferingBits(entries), room);
}

}  // namespace shadowvm::exec
