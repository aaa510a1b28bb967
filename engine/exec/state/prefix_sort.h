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

// Sorts entries by their prefixes; those of equal prefix keep their order. Digit by digit, the last
// one first, digits that are the same everywhere left out. 'room' is as long as 'entries'.
void SortByPrefix(std::span<SortEntry> entries, std::span<SortEntry> room);

}  // namespace shadowvm::exec
