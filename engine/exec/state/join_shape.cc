// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/state/join_shape.h"

#include <algorithm>
#include <bit>

#include "engine/columns/frame.h"

namespace shadowvm::exec {
namespace {

constexpr int64_t kDirectBytes = int64_t{32} << 20;
constexpr uint64_t kMaxKeys = uint64_t{1} << 40;  // far beyond any budget; keeps products in range

bool FitsDirect(const JoinFacts& facts, const std::optional<columns::Zone>& zone) {
  if (!zone.has_value() || !zone->known) return false;
  const uint64_t range = columns::RangeOf(zone->min, zone->max);
  if (range >= kMaxKeys) return false;
  const auto keys = static_cast<int64_t>(range) + 1;
  const int64_t bytes = facts.existence_only ? keys / 8 : keys * 4;
  return bytes <= std::max(kDirectBytes, 2 * HashTableBytes(facts.build_rows));
}

}  // namespace

uint64_t HashSlots(int64_t rows) {
  return std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(rows, 4)) * 2);
}

int64_t HashTableBytes(int64_t rows) {
  return static_cast<int64_t>(HashSlots(rows) * 8) + rows * (8 + 4);
}

JoinShape ChooseJoinShape(const JoinFacts& facts) {
  if (!facts.integer_key) return {JoinShape::Kind::kHash, true};
  if (FitsDirect(facts, facts.probe_zone)) return {JoinShape::Kind::kDirect, false};
  if (FitsDirect(facts, facts.build_zone)) return {JoinShape::Kind::kDirect, true};
  return {JoinShape::Kind::kHash, true};
}

}  // namespace shadowvm::exec
