// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/plan/action_node.h"

namespace shadowvm::plan {

// Operations of one expression with all maps inlined that lie below it. Beyond this its kernel
// would be too long to compile.
inline constexpr uint32_t kMaxInlinedSize = 4096;

// How long expressions become when columns are replaced by the maps that compute them, as rewriting
// and kernels do. A column that is read twice counts twice, so a chain of maps can grow without
// bound.
class InlinedSizes {
 public:
  // Operations of an expression over the columns of 'input', which was added; at most
  // kMaxInlinedSize + 1. Constants do not count.
  uint32_t Of(const Expression& expression, const ActionNode& input) const;
  // Learns what the columns of a node cost; its inputs were added.
  void Add(const ActionNode& node);

 private:
  uint32_t OfColumn(const ActionNode& input, int column) const;
  std::vector<uint32_t> Kept(const std::vector<int>& kept, const ActionNode& node) const;

  std::unordered_map<const ActionNode*, std::vector<uint32_t>> sizes_;  // by output column
};

}  // namespace shadowvm::plan
