// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/plan_editor.h"

namespace shadowvm::plan {
namespace {

template <typename Node>
std::unique_ptr<ActionNode> Copy(const ActionNode& node) {
  return std::make_unique<Node>(As<Node>(node));
}

std::unique_ptr<ActionNode> CopyNode(const ActionNode& node) {
  switch (node.kind) {
    case ActionKind::kScan:
      return Copy<ScanNode>(node);
    case ActionKind::kFilter:
      return Copy<FilterNode>(node);
    case ActionKind::kMap:
      return Copy<MapNode>(node);
    case ActionKind::kJoin:
      return Copy<JoinNode>(node);
    case ActionKind::kAggregate:
      return Copy<AggregateNode>(node);
    case ActionKind::kSort:
      return Copy<SortNode>(node);
    case ActionKind::kLimit:
      return Copy<LimitNode>(node);
    case ActionKind::kTopN:
      return Copy<TopNNode>(node);
    case ActionKind::kSink:
      return Copy<SinkNode>(node);
  }
  return nullptr;
}

}  // namespace

PlanEditor::PlanEditor(const Plan& old)
    : old_(old), num_consumers_(old.nodes().size()), replacements_(old.nodes().size()) {
  places_.reserve(old.nodes().size());
  nodes_.reserve(old.nodes().size());
  for (int i = 0; i < num_old(); ++i) {
    places_.emplace(&old_node(i), i);
    for (const ActionNode* input : old_node(i).inputs) ++num_consumers_[place_of(*input)];
  }
}

const ActionNode* PlanEditor::Add(std::unique_ptr<const ActionNode> node) {
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

std::unique_ptr<ActionNode> PlanEditor::CopyOf(int place) const {
  auto copy = CopyNode(old_node(place));
  for (const ActionNode*& input : copy->inputs) input = replacement(*input);
  return copy;
}

}  // namespace shadowvm::plan
