// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/value_range.h"

#include <algorithm>

namespace shadowvm::exec {
namespace {

using plan::Op;

// Bounds may lie outside 64 bits after +1 or -1, so they are compared in 128.
struct WideRange {
  __int128 min = INT64_MIN;
  __int128 max = INT64_MAX;

  void Add(Op op, __int128 value) {
    switch (op) {
      case Op::kEqual:
        min = std::max(min, value);
        max = std::min(max, value);
        return;
      case Op::kLess:
        max = std::min(max, value - 1);
        return;
      case Op::kLessEqual:
        max = std::min(max, value);
        return;
      case Op::kGreater:
        min = std::max(min, value + 1);
        return;
      default:
        min = std::max(min, value);
        return;
    }
  }
};

}  // namespace

ValueRange RangeOf(const vkernel::RangeSlot& slot) {
  WideRange range;
  for (const auto& bound : slot.bounds) range.Add(bound.op, bound.literal.integer);
  if (range.min > range.max) return {1, 0};
  return {static_cast<int64_t>(range.min), static_cast<int64_t>(range.max)};
}

kernels::RangeView BindRange(const ValueRange& range, int64_t base, int width) {
  const __int128 most = width == 8 ? __int128{UINT64_MAX} : (__int128{1} << (8 * width)) - 1;
  // A range beyond the frame: an offset that no row has. Frames of 8 bytes reach every value.
  const bool outside = __int128{range.max} < base || __int128{range.min} - base > most;
  if (outside && width < 8) return {static_cast<kernels::u64>(most) + 1, 0};
  const __int128 low = std::clamp<__int128>(__int128{range.min} - base, 0, most);
  const __int128 high = std::clamp<__int128>(__int128{range.max} - base, low, most);
  return {static_cast<kernels::u64>(low), static_cast<kernels::u64>(high - low)};
}

}  // namespace shadowvm::exec
