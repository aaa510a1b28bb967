// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/exec/state/sorter.h"
#include "engine/plan/action_node.h"

namespace shadowvm::exec {

// A sort or top-n as its rows are collected: keys that are no column are computed into extra ones.
struct SortPlan {
  std::vector<SortColumn> keys;
  std::vector<plan::ExpressionPtr> extra;  // behind the columns of the input
  SortPart part;
};

SortPlan PlanSort(const plan::ActionNode& node);
// Whether that takes no extra columns.
bool SortsByColumns(const plan::ActionNode& node);
// The columns that a sort, top-n or limit hands on.
const std::vector<int>& KeptBy(const plan::ActionNode& node);
// Only the columns of 'rows' that 'kept' names, in its order.
RowSet KeepColumns(RowSet rows, const std::vector<int>& kept);

}  // namespace shadowvm::exec
