// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/sort_keys.h"

#include <algorithm>

namespace shadowvm::exec {

namespace {

const std::vector<plan::SortKey>& KeysOf(const plan::ActionNode& node) {
  return node.kind == plan::ActionKind::kTopN ? plan::As<plan::TopNNode>(node).keys
                                              : plan::As<plan::SortNode>(node).keys;
}

}  // namespace

bool SortsByColumns(const plan::ActionNode& node) {
  const std::vector<plan::SortKey>& keys = KeysOf(node);
  return std::all_of(keys.begin(), keys.end(),
                     [](const plan::SortKey& key) { return key.expression->is_column(); });
}

SortPlan PlanSort(const plan::ActionNode& node) {
  SortPlan plan;
  if (node.kind == plan::ActionKind::kTopN) {
    const auto& top = plan::As<plan::TopNNode>(node);
    plan.part = {top.offset, top.count};
  }
  const int num_columns = node.input().output.num_fields();
  for (const plan::SortKey& key : KeysOf(node)) {
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
  bool all = kept.size() == rows.columns.size();
  for (size_t i = 0; all && i < kept.size(); ++i) all = kept[i] == static_cast<int>(i);
  if (all) return rows;
  std::vector<RowData> columns;
  columns.reserve(kept.size());
  for (const int column : kept) columns.push_back(rows.columns[column]);
  rows.columns = std::move(columns);
  return rows;
}

}  // namespace shadowvm::exec
