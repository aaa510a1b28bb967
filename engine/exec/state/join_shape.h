// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <optional>

#include "engine/columns/segment.h"

namespace shadowvm::exec {

// What is known of a join before its build side is filtered. Kernel text depends on the shape, so
// nothing here may depend on literals: zones and row counts are those of whole tables.
struct JoinFacts {
  bool integer_key = false;     // one key, held as an integer of at most 64 bits
  bool existence_only = false;  // no build row is ever read
  int64_t build_rows = 0;       // at most
  std::optional<columns::Zone> build_zone;
  std::optional<columns::Zone> probe_zone;
};

struct JoinShape {
  enum class Kind : uint8_t { kDirect, kHash };
  Kind kind = Kind::kHash;
  // Direct only. False: the table spans the probe zone, and probes need no bounds check.
  bool checked = true;
  bool operator==(const JoinShape&) const = default;
};

// Direct when addresses for every key of the zone take at most 32 MiB, or at most twice a hash
// table's bytes. The probe's zone is preferred; where it is unknown or too wide, the build's.
JoinShape ChooseJoinShape(const JoinFacts& facts);

// Bytes of a hash table of 'rows' one-word keys.
int64_t HashTableBytes(int64_t rows);
// Slots for 'rows' keys: a power of two, at least twice as many.
uint64_t HashSlots(int64_t rows);

}  // namespace shadowvm::exec
