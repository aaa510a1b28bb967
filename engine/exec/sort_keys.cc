// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/sort_keys.h"

namespace shadowvm::exec {

SortPlan PlanSort(const plan::ActionNode& node) {
  SortPlan plan;
  const std::vector<plan::SortKey>* keys = nullptr;
  if (node.kind == plan::ActionKind::kTopN) {
    const auto& top = plan::As<plan::TopNNode>(node);
    keys = &top.keys;
    plan.part = {top.offset, top.count};
  } else {
    keys = &plan::As<plan::SortNode>(node).keys;
  }
  const int num_columns = node.input().output.num_fields();
  for (const plan::SortKey& key : *keys) {
    int column = key.expression->column;
    if (!key.expression->is_column()) {
      column = num_columns + static_cast<int>(plan.extra.size());
      plan.extra.push_back(key.expression);
    }
    plan.keys.push_back({column, key.descending, key.nulls_first});
  }
  return plan;
}

const std::vector<int>& KeptBy(const plan::ActionNode& node) {
  switch (node.kind) {
    case plan::ActionKind::kSort:
      return plan::As<plan::SortNode>(node).kept;
    case plan::ActionKind::kTopN:
      return plan::As<plan::TopNNode>(node).kept;
    default:
      return plan::As<plan::LimitNode>(node).kept;
  }
}

RowSet KeepColumns(RowSet rows, const std::vector<int>& kept) {
  std::vector<RowData> columns;
  for (const int column : kept) columns.push_back(rows.columns[column]);
  rows.columns = std::move(columns);
  return rows;
}

}  // namespace shadowvm::exec
