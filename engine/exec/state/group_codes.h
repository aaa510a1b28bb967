// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/exec/state/row_set.h"

namespace shadowvm::exec {

// Group codes of build rows: equal values of the chosen columns, equal code; 1, 2, … in order of
// first appearance, so that a few surviving dimension rows give a few codes whatever their keys.
// 0 is kept for "no match".
struct GroupCodes {
  static constexpr uint32_t kMaxCodes = 65535;

  std::vector<uint16_t> codes;            // per build row
  std::vector<uint32_t> representatives;  // code - 1 -> some build row that has it

  uint32_t num_codes() const { return static_cast<uint32_t>(representatives.size()); }
};

// Nothing when there would be more than kMaxCodes: groups can't be dense then. Null is a value like
// any other. At least one column.
std::optional<GroupCodes> MakeGroupCodes(const RowSet& rows, std::span<const int> columns);

}  // namespace shadowvm::exec
