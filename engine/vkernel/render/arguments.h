// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::vkernel {

// A literal as an argument of a kernel.
struct LiteralArgument {
  plan::Literal value;
  columns::Type type;
  const plan::Expression* node = nullptr;  // where it was met; lives as long as the blueprint
};

// The items of an IN list without nulls, as an argument.
struct ListArgument {
  std::vector<plan::Literal> items;
  columns::Type type;
};

// What the text of a kernel refers to by number and the executor must supply, in the order of
// rendering. Text depends on how many there are and on their types, never on their values.
struct Arguments {
  std::vector<LiteralArgument> literals;
  std::vector<ListArgument> lists;
};

}  // namespace shadowvm::vkernel
