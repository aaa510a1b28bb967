// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

#include "engine/columns/segment.h"
#include "engine/kernels/common/abi.h"
#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::exec {

// Values min … max of a framed column; empty when min > max.
struct ValueRange {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;

  bool operator==(const ValueRange&) const = default;
  bool empty() const { return min > max; }
  // No value of the zone lies in the range.
  bool Misses(const columns::Zone& zone) const {
    return empty() || (zone.known && (zone.max < min || zone.min > max));
  }
};

// The values that meet all bounds of a slot.
ValueRange RangeOf(const vkernel::RangeSlot& slot);

// The range as offsets of a segment's frame. The range must not miss the segment.
kernels::RangeView BindRange(const ValueRange& range, int64_t base, int width);

}  // namespace shadowvm::exec
