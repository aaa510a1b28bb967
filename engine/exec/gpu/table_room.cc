// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/table_room.h"

#include <algorithm>
#include <bit>

namespace shadowvm::exec {
namespace {

// Most tables have fewer entries, and clearing the slots of so many costs a few microseconds.
constexpr int64_t kFirstEntries = 1 << 18;
// A table that ran full has room for so many times more in the next launch.
constexpr int64_t kGrowth = 8;

}  // namespace

void TableRoom::Expect(int64_t rows) {
  // With several matches a row there may be more entries; then a second launch has more room.
  capacity_ = std::max(capacity_, std::min(std::max<int64_t>(rows, 1), kFirstEntries));
}

uint64_t TableRoom::num_slots() const {
  return std::bit_ceil(static_cast<uint64_t>(2 * capacity_ + 2));
}

base::Result<bool> TableRoom::Had(uint64_t entries, int64_t most_bytes, const std::string& what) {
  const int64_t before = capacity_;
  if (entries <= static_cast<uint64_t>(before)) return true;
  // As much as there is room for: a run for nothing costs more than memory that is not used.
  for (int64_t growth = kGrowth; growth > 1; growth /= 2) {
    capacity_ = before * growth;
    if (bytes() <= most_bytes) return false;
  }
  capacity_ = before;
  return base::MakeError(
      base::ErrorCode::kOutOfMemory,
      "more than " + std::to_string(before) + " " + what + ", for which the GPU has no room");
}

}  // namespace shadowvm::exec
