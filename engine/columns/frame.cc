// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/frame.h"

namespace shadowvm::columns {
namespace {

template <typename Offset>
void NarrowTo(const int64_t* values, int64_t count, int64_t base, uint8_t* out) {
  auto* offsets = reinterpret_cast<Offset*>(out);
  const auto from = static_cast<uint64_t>(base);
  for (int64_t i = 0; i < count; ++i) {
    offsets[i] = static_cast<Offset>(static_cast<uint64_t>(values[i]) - from);
  }
}

}  // namespace

Zone FullZone(Type type) {
  switch (type.kind) {
    case TypeKind::kBool:
      return {true, 0, 1, -1};
    case TypeKind::kInt8:
      return {true, INT8_MIN, INT8_MAX, -1};
    case TypeKind::kInt16:
      return {true, INT16_MIN, INT16_MAX, -1};
    case TypeKind::kInt32:
    case TypeKind::kDate:
      return {true, INT32_MIN, INT32_MAX, -1};
    default:
      return {true, INT64_MIN, INT64_MAX, -1};
  }
}

Zone Merge(const Zone& zone, const Zone& other) {
  const bool counted = zone.null_count >= 0 && other.null_count >= 0;
  return {zone.known && other.known, std::min(zone.min, other.min), std::max(zone.max, other.max),
          counted ? zone.null_count + other.null_count : -1};
}

void Narrow(const int64_t* values, int64_t count, int64_t base, int width, uint8_t* out) {
  switch (width) {
    case 1:
      return NarrowTo<uint8_t>(values, count, base, out);
    case 2:
      return NarrowTo<uint16_t>(values, count, base, out);
    case 4:
      return NarrowTo<uint32_t>(values, count, base, out);
    default:
      return NarrowTo<uint64_t>(values, count, base, out);
  }
}

}  // namespace shadowvm::columns
