// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "engine/plan/node_builder.h"
#include "engine/plan/plan_editor.h"
#include "engine/plan/rewrite.h"

namespace shadowvm::plan {
namespace {

// A condition on its way down, with the id of the filter it came from.
struct Condition {
  ExpressionPtr expression;
  uint32_t id;
};
using Conditions = std::vector<Condition>;

bool AllColumnsAre(const Expression& expression, int num_columns, const auto& wanted) {
  std::vector<bool> used(num_columns);
  MarkColumns(expression, &used);
  for (int i = 0; i < num_columns; ++i) {
    if (used[i] && !wanted(i)) return false;
  }
  return true;
}

// Down from the root, each node hands on what its input can check as well; the rest waits above it.
// Then the plan is rebuilt with filters where conditions came to rest.
class FilterPusher {
 public:
  explicit FilterPusher(const Plan& plan)
      : editor_(plan),
        arriving_(plan.nodes().size()),
        resting_(plan.nodes().size()),
        edges_(plan.nodes().size()) {}

  Plan Run() {
    for (int i = 0; i < editor_.num_old(); ++i) {
      edges_[i].resize(editor_.old_node(i).inputs.size());
    }
    for (int i = editor_.num_old() - 1; i >= 0; --i) Descend(i);
    for (int i = 0; i < editor_.num_old(); ++i) Rebuild(i);
    return editor_.Finish();
  }

 private:
  void Descend(int place);
  void DescendFilter(int place, const FilterNode& filter);
  void DescendJoin(int place, const JoinNode& join);
  void DescendMap(int place, const MapNode& map);
  void DescendAggregate(int place, const AggregateNode& aggregate);
  // To the node's own input, or, if others read that too, onto the way between them.
  void HandOn(int place, int input, Condition condition);

  void Rebuild(int place);
  const ActionNode* Filtered(const ActionNode* node, const Conditions& conditions);

  PlanEditor editor_;
  std::vector<Conditions> arriving_;            // by place: over the node's output, from above
  std::vector<Conditions> resting_;             // by place: to be checked right above the node
  std::vector<std::vector<Conditions>> edges_;  // by place and input: to be checked between the two
};

void FilterPusher::HandOn(int place, int input, Condition condition) {
  const int below = editor_.place_of(*editor_.old_node(place).inputs[input]);
  auto& target = editor_.num_consumers(below) == 1 ? arriving_[below] : edges_[place][input];
  target.push_back(std::move(condition));
}

// The filter's own conditions come first: those above may rely on them.
void FilterPusher::DescendFilter(int place, const FilterNode& filter) {
  for (const auto& conjunct : filter.conjuncts) HandOn(place, 0, {conjunct, filter.id});
  for (auto& condition : arriving_[place]) {
    HandOn(place, 0, {Renumber(condition.expression, filter.kept), condition.id});
  }
}

void FilterPusher::DescendJoin(int place, const JoinNode& join) {
  const int num_left = join.left().output.num_fields();
  const int num_all = num_left + join.right().output.num_fields();
  std::vector<int> right_numbers(num_all);
  for (int i = num_left; i < num_all; ++i) right_numbers[i] = i - num_left;
  // Below an outer join it would let rows through, with nulls, that it has to drop.
  const bool reaches_right = join.join_kind != JoinKind::kLeftOuter;
  for (auto& condition : arriving_[place]) {
    if (CanRaise(*condition.expression)) {
      resting_[place].push_back(condition);
      continue;
    }
    const ExpressionPtr over_both = Renumber(condition.expression, join.kept);
    if (AllColumnsAre(*over_both, num_all, [&](int i) { return i < num_left; })) {
      HandOn(place, 0, {over_both, condition.id});
    } else if (reaches_right &&
               AllColumnsAre(*over_both, num_all, [&](int i) { return i >= num_left; })) {
      HandOn(place, 1, {Renumber(over_both, right_numbers), condition.id});
    } else {
      resting_[place].push_back(condition);
    }
  }
}

void FilterPusher::DescendMap(int place, const MapNode& map) {
  std::vector<ExpressionPtr> values;
  for (const auto& named : map.expressions) values.push_back(named.expression);
  // Only through what costs nothing to compute twice; and none that can fail past one that stays
  // and may guard it.
  const auto plain = [&](int i) { return values[i]->is_column() || values[i]->is_literal(); };
  for (auto& condition : arriving_[place]) {
    const bool guarded = !resting_[place].empty() && CanRaise(*condition.expression);
    if (!guarded && AllColumnsAre(*condition.expression, static_cast<int>(values.size()), plain)) {
      HandOn(place, 0, {Substitute(condition.expression, values), condition.id});
    } else {
      resting_[place].push_back(condition);
    }
  }
}

// A condition on keys alone drops whole groups, so it may drop their rows; without keys there is
// always a row.
void FilterPusher::DescendAggregate(int place, const AggregateNode& aggregate) {
  std::vector<ExpressionPtr> keys;
  for (const auto& key : aggregate.keys) keys.push_back(key.expression);
  const int num_keys = static_cast<int>(keys.size());
  const auto key_column = [&](int i) { return i < num_keys && keys[i]->is_column(); };
  for (auto& condition : arriving_[place]) {
    const bool movable =
        num_keys > 0 && !CanRaise(*condition.expression) &&
        AllColumnsAre(*condition.expression, aggregate.output.num_fields(), key_column);
    if (movable) {
      HandOn(place, 0, {Substitute(condition.expression, keys), condition.id});
    } else {
      resting_[place].push_back(condition);
    }
  }
}

void FilterPusher::Descend(int place) {
  const ActionNode& node = editor_.old_node(place);
  switch (node.kind) {
    case ActionKind::kFilter:
      DescendFilter(place, As<FilterNode>(node));
      break;
    case ActionKind::kJoin:
      DescendJoin(place, As<JoinNode>(node));
      break;
    case ActionKind::kMap:
      DescendMap(place, As<MapNode>(node));
      break;
    case ActionKind::kAggregate:
      DescendAggregate(place, As<AggregateNode>(node));
      break;
    case ActionKind::kSort:
      for (auto& condition : arriving_[place]) {
        HandOn(place, 0, {Renumber(condition.expression, As<SortNode>(node).kept), condition.id});
      }
      break;
    case ActionKind::kScan:
    case ActionKind::kLimit:
    case ActionKind::kTopN:
    case ActionKind::kSink:
      resting_[place] = std::move(arriving_[place]);
      break;
  }
}

const ActionNode* FilterPusher::Filtered(const ActionNode* node, const Conditions& conditions) {
  if (conditions.empty()) return node;
  auto filter = std::make_unique<FilterNode>(conditions[0].id);
  for (const auto& condition : conditions) filter->conjuncts.push_back(condition.expression);
  filter->inputs.push_back(node);
  filter->kept = AllColumns(node->output.num_fields());
  filter->output = node->output;
  return editor_.Add(std::move(filter));
}

void FilterPusher::Rebuild(int place) {
  auto node = editor_.CopyOf(place);
  for (size_t i = 0; i < node->inputs.size(); ++i) {
    node->inputs[i] = Filtered(node->inputs[i], edges_[place][i]);
  }
  if (node->kind == ActionKind::kFilter) {
    auto* filter = static_cast<FilterNode*>(node.get());
    filter->conjuncts.clear();
    if (filter->kept == AllColumns(filter->input().output.num_fields())) {
      editor_.Replace(place, filter->inputs[0]);
      return;
    }
  }
  const ActionNode* added = editor_.Add(std::move(node));
  editor_.Replace(place, Filtered(added, resting_[place]));
}

}  // namespace

Plan PushFilters(const Plan& plan) { return FilterPusher(plan).Run(); }

}  // namespace shadowvm::plan
