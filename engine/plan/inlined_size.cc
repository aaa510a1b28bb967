// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/inlined_size.h"

#include <algorithm>

namespace shadowvm::plan {

uint32_t InlinedSizes::OfColumn(const ActionNode& input, int column) const {
  return sizes_.at(&input)[column];
}

uint32_t InlinedSizes::Of(const Expression& expression, const ActionNode& input) const {
  if (expression.is_column()) return OfColumn(input, expression.column);
  uint32_t size = expression.is_literal() ? 0 : 1;
  for (const ExpressionPtr& arg : expression.args) {
    if (size > kMaxInlinedSize) break;
    size += Of(*arg, input);
  }
  return std::min(size, kMaxInlinedSize + 1);
}

std::vector<uint32_t> InlinedSizes::Kept(const std::vector<int>& kept,
                                         const ActionNode& node) const {
  const int num_left = node.input().output.num_fields();
  std::vector<uint32_t> sizes;
  for (const int column : kept) {
    sizes.push_back(column < num_left ? OfColumn(node.input(), column)
                                      : OfColumn(node.input(1), column - num_left));
  }
  return sizes;
}

void InlinedSizes::Add(const ActionNode& node) {
  std::vector<uint32_t>& sizes = sizes_[&node];
  switch (node.kind) {
    case ActionKind::kScan:
      sizes.assign(node.output.fields.size(), 1);
      break;
    case ActionKind::kMap:
      for (const NamedExpression& named : As<MapNode>(node).expressions) {
        sizes.push_back(Of(*named.expression, node.input()));
      }
      break;
    case ActionKind::kAggregate:
      // A filter on a key moves below the groups.
      for (const NamedExpression& key : As<AggregateNode>(node).keys) {
        sizes.push_back(Of(*key.expression, node.input()));
      }
      sizes.resize(node.output.fields.size(), 1);
      break;
    case ActionKind::kFilter:
      sizes = Kept(As<FilterNode>(node).kept, node);
      break;
    case ActionKind::kJoin:
      sizes = Kept(As<JoinNode>(node).kept, node);
      break;
    case ActionKind::kSort:
      sizes = Kept(As<SortNode>(node).kept, node);
      break;
    case ActionKind::kLimit:
      sizes = Kept(As<LimitNode>(node).kept, node);
      break;
    case ActionKind::kTopN:
      sizes = Kept(As<TopNNode>(node).kept, node);
      break;
    case ActionKind::kSink:
      break;
  }
}

}  // namespace shadowvm::plan
