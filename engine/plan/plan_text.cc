// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <string>

#include "engine/plan/plan.h"

// The text form of a plan, for explain and tests.
namespace shadowvm::plan {
namespace {

using columns::Schema;

template <typename List, typename TextOf>
std::string Listed(const List& list, const TextOf& text_of) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + text_of(item);
  return text;
}

std::string Listed(const std::vector<ExpressionPtr>& expressions, const Schema& schema) {
  return Listed(expressions, [&](const ExpressionPtr& item) { return ToString(*item, &schema); });
}

std::string SortText(const std::vector<SortKey>& keys, const Schema& schema) {
  return Listed(keys, [&](const SortKey& key) {
    std::string text = ToString(*key.expression, &schema) + (key.descending ? " desc" : " asc");
    if (key.nulls_first == key.descending) text += key.nulls_first ? " nulls first" : " nulls last";
    return text;
  });
}

template <typename Node>
std::string RangeText(const Node& node) {
  std::string text = std::to_string(node.count);
  if (node.offset > 0) text += " offset " + std::to_string(node.offset);
  return text;
}

std::string JoinText(const JoinNode& join) {
  return std::string(NameOf(join.join_kind)) + " " + Listed(join.left_keys, join.left().output) +
         " = " + Listed(join.right_keys, join.right().output);
}

std::string AggregateText(const AggregateNode& node, const Schema& schema) {
  const auto call_text = [&](const AggregateCall& call) {
    const std::string argument = call.argument == nullptr ? "*" : ToString(*call.argument, &schema);
    return std::string(NameOf(call.function)) + "(" + argument + ")";
  };
  std::string text = Listed(node.aggregates, call_text);
  if (node.keys.empty()) return text;
  return text + " by " + Listed(node.keys, [&](const NamedExpression& key) {
           return ToString(*key.expression, &schema);
         });
}

std::string DetailOf(const ActionNode& node) {
  static const Schema kNoColumns;
  const Schema& schema = node.inputs.empty() ? kNoColumns : node.input().output;
  switch (node.kind) {
    case ActionKind::kScan:
      return As<ScanNode>(node).source.name();
    case ActionKind::kFilter:
      return Listed(As<FilterNode>(node).conjuncts, schema);
    case ActionKind::kMap:
      return Listed(As<MapNode>(node).expressions, [&](const NamedExpression& named) {
        return ToString(*named.expression, &schema);
      });
    case ActionKind::kJoin:
      return JoinText(As<JoinNode>(node));
    case ActionKind::kAggregate:
      return AggregateText(As<AggregateNode>(node), schema);
    case ActionKind::kSort:
      return SortText(As<SortNode>(node).keys, schema);
    case ActionKind::kLimit:
      return RangeText(As<LimitNode>(node));
    case ActionKind::kTopN:
      return RangeText(As<TopNNode>(node)) + " by " + SortText(As<TopNNode>(node).keys, schema);
    case ActionKind::kSink:
      return As<SinkNode>(node).target == SinkTarget::kCollect ? "collect"
                                                               : As<SinkNode>(node).path;
  }
  return {};
}

}  // namespace

std::string Describe(const Plan& plan) {
  std::string text;
  for (const auto& node : plan.nodes()) {
    text += std::to_string(node->id) + " " + std::string(NameOf(node->kind));
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      text += (i == 0 ? " <- " : ", ") + std::to_string(node->inputs[i]->id);
    }
    text += ": " + DetailOf(*node) + " | " +
            Listed(node->output.fields, [](const columns::Field& field) { return field.name; }) +
            "\n";
  }
  return text;
}

}  // namespace shadowvm::plan
