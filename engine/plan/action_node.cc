// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/action_node.h"

#include "engine/storage/file_list.h"

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
    case JoinKind::kLeftOuter:
      return "left_outer";
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
  const size_t count = list != nullptr ? list->files.size() : paths.size();
  if (count == 0) return "nothing";
  const std::string& first = list != nullptr ? list->files[0].path : paths[0];
  return count == 1 ? first : first + " (and " + std::to_string(count - 1) + " more)";
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
