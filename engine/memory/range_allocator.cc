// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/memory/range_allocator.h"

#include <algorithm>
#include <iterator>

namespace shadowvm::memory {

int64_t RangeAllocator::SizeOf(int64_t bytes) {
  return (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

std::optional<int64_t> RangeAllocator::Take(int64_t bytes) {
  const int64_t size = SizeOf(bytes);
  auto best = gaps_.end();
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    if (gap->second >= size && (best == gaps_.end() || gap->second < best->second)) best = gap;
  }
  if (best == gaps_.end()) return std::nullopt;
  const auto [at, gap_size] = *best;
  gaps_.erase(best);
  if (gap_size > size) gaps_[at + size] = gap_size - size;
  return at;
}

void RangeAllocator::Give(int64_t at, int64_t bytes) {
  auto gap = gaps_.emplace(at, SizeOf(bytes)).first;
  const auto next = std::next(gap);
  if (next != gaps_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap == gaps_.begin()) return;
  const auto before = std::prev(gap);
  if (before->first + before->second != gap->first) return;
  before->second += gap->second;
  gaps_.erase(gap);
}

}  // namespace shadowvm::memory
