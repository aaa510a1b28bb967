// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/action_node.h"

namespace shadowvm::plan {

std::string_view NameOf(ActionKind kind) {
  switch (kind) {
    case ActionKind::kScan:
      return "scan";
    case ActionKind::kFilter:
      return "filter";
    case ActionKind::kMap:
      return "map";
    case ActionKind::kJoin:
      return "join";
    case ActionKind::kAggregate:
      return "aggregate";
    case ActionKind::kSort:
      return "sort";
    case ActionKind::kLimit:
      return "limit";
    case ActionKind::kTopN:
      return "top_n";
    case ActionKind::kSink:
      return "sink";
  }
  return "unknown";
}

std::string_view NameOf(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
      return "inner";
    case JoinKind::kLeftSemi:
      return "left_semi";
    case JoinKind::kLeftAnti:
      return "left_anti";
  }
  return "unknown";
}

std::string_view NameOf(AggregateFunction function) {
  switch (function) {
    case AggregateFunction::kSum:
      return "sum";
    case AggregateFunction::kCount:
    case AggregateFunction::kCountAll:
      return "count";
    case AggregateFunction::kMin:
      return "min";
    case AggregateFunction::kMax:
      return "max";
    case AggregateFunction::kAvg:
      return "avg";
  }
  return "unknown";
}

std::string ScanSource::name() const {
  if (!table.empty()) return table;
  if (paths.empty()) return "nothing";
  if (paths.size() == 1) return paths[0];
  return paths[0] + " (and " + std::to_string(paths.size() - 1) + " more)";
}

std::vector<int> JoinNode::kept_left() const {
  std::vector<int> columns;
  for (const int column : kept) {
    if (column < left().output.num_fields()) columns.push_back(column);
  }
  return columns;
}

std::vector<int> JoinNode::kept_right() const {
  const int num_left = left().output.num_fields();
  std::vector<int> columns;
  for (const int column : kept) {
    if (column >= num_left) columns.push_back(column - num_left);
  }
  return columns;
}

}  // namespace shadowvm::plan
