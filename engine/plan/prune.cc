// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <memory>
#include <utility>
#include <vector>

#include "engine/plan/node_builder.h"
#include "engine/plan/plan_editor.h"
#include "engine/plan/rewrite.h"

namespace shadowvm::plan {
namespace {

// Two passes. Down from the root: which output columns of each node something reads. Up from the
// scans: nodes with only those, expressions renumbered.
class Pruner {
 public:
  explicit Pruner(const Plan& plan)
      : editor_(plan), needed_(plan.nodes().size()), numbers_(plan.nodes().size()) {}

  Plan Run() {
    for (int i = 0; i < editor_.num_old(); ++i) {
      needed_[i].resize(editor_.old_node(i).output.fields.size());
    }
    needed_.back().assign(needed_.back().size(), true);
    for (int i = editor_.num_old() - 1; i >= 0; --i) MarkInputs(i);
    for (int i = 0; i < editor_.num_old(); ++i) Rebuild(i);
    return editor_.Finish();
  }

 private:
  std::vector<bool>& NeededOf(const ActionNode& node) { return needed_[editor_.place_of(node)]; }
  const std::vector<int>& NumbersOf(const ActionNode& node) {
    return numbers_[editor_.place_of(node)];
  }

  void MarkInputs(int place);
  void MarkJoin(const JoinNode& join, const std::vector<bool>& needed);
  void MarkAggregate(const AggregateNode& node, std::vector<bool>* needed);
  void MarkKept(const std::vector<int>& kept, int place, const ActionNode& input);

  void Rebuild(int place);
  void RebuildKept(int place, const ActionNode& input, std::vector<int>* kept);
  void RebuildScan(int place, ScanNode* node);
  void RebuildMap(int place, const MapNode& old, MapNode* node);
  void RebuildJoin(int place, const JoinNode& old, JoinNode* node);
  void RebuildAggregate(int place, const AggregateNode& old, AggregateNode* node);

  PlanEditor editor_;
  std::vector<std::vector<bool>> needed_;  // by place, by output column
  std::vector<std::vector<int>>
      numbers_;  // by place: the new ordinal of an old one, -1 if it is gone
};

void Pruner::MarkKept(const std::vector<int>& kept, int place, const ActionNode& input) {
  for (size_t i = 0; i < kept.size(); ++i) {
    if (needed_[place][i]) NeededOf(input)[kept[i]] = true;
  }
}

void Pruner::MarkJoin(const JoinNode& join, const std::vector<bool>& needed) {
  const int num_left = join.left().output.num_fields();
  for (size_t i = 0; i < join.kept.size(); ++i) {
    if (!needed[i]) continue;
    const int column = join.kept[i];
    const bool left = column < num_left;
    NeededOf(left ? join.left() : join.right())[left ? column : column - num_left] = true;
  }
  for (const auto& key : join.left_keys) MarkColumns(*key, &NeededOf(join.left()));
  for (const auto& key : join.right_keys) MarkColumns(*key, &NeededOf(join.right()));
}

// Keys stay, read or not: they make the groups.
void Pruner::MarkAggregate(const AggregateNode& node, std::vector<bool>* needed) {
  std::vector<bool>& input = NeededOf(node.input());
  for (size_t i = 0; i < node.keys.size(); ++i) {
    (*needed)[i] = true;
    MarkColumns(*node.keys[i].expression, &input);
  }
  for (size_t i = 0; i < node.aggregates.size(); ++i) {
    const ExpressionPtr& argument = node.aggregates[i].argument;
    if ((*needed)[node.keys.size() + i] && argument != nullptr) MarkColumns(*argument, &input);
  }
}

void Pruner::MarkInputs(int place) {
  const ActionNode& node = editor_.old_node(place);
  std::vector<bool>& needed = needed_[place];
  const auto mark_sorted = [&](const auto& sorted) {
    MarkKept(sorted.kept, place, node.input());
    for (const SortKey& key : sorted.keys) MarkColumns(*key.expression, &NeededOf(node.input()));
  };
  switch (node.kind) {
    case ActionKind::kScan:
      break;
    case ActionKind::kFilter:
      MarkKept(As<FilterNode>(node).kept, place, node.input());
      for (const auto& conjunct : As<FilterNode>(node).conjuncts) {
        MarkColumns(*conjunct, &NeededOf(node.input()));
      }
      break;
    case ActionKind::kMap:
      for (size_t i = 0; i < needed.size(); ++i) {
        const auto& named = As<MapNode>(node).expressions[i];
        if (needed[i]) MarkColumns(*named.expression, &NeededOf(node.input()));
      }
      break;
    case ActionKind::kJoin:
      MarkJoin(As<JoinNode>(node), needed);
      break;
    case ActionKind::kAggregate:
      MarkAggregate(As<AggregateNode>(node), &needed);
      break;
    case ActionKind::kSort:
      mark_sorted(As<SortNode>(node));
      break;
    case ActionKind::kLimit:
      MarkKept(As<LimitNode>(node).kept, place, node.input());
      break;
    case ActionKind::kTopN:
      mark_sorted(As<TopNNode>(node));
      break;
    case ActionKind::kSink:
      NeededOf(node.input()).assign(needed.size(), true);
      break;
  }
}

void Pruner::RebuildKept(int place, const ActionNode& input, std::vector<int>* kept) {
  std::vector<int> fewer;
  for (size_t i = 0; i < kept->size(); ++i) {
    if (needed_[place][i]) fewer.push_back(NumbersOf(input)[(*kept)[i]]);
  }
  *kept = std::move(fewer);
}

void Pruner::RebuildScan(int place, ScanNode* node) {
  std::vector<int> columns;
  for (size_t i = 0; i < node->columns.size(); ++i) {
    if (needed_[place][i]) columns.push_back(node->columns[i]);
  }
  node->columns = std::move(columns);
}

void Pruner::RebuildMap(int place, const MapNode& old, MapNode* node) {
  node->expressions.clear();
  for (size_t i = 0; i < old.expressions.size(); ++i) {
    if (!needed_[place][i]) continue;
    const auto& named = old.expressions[i];
    node->expressions.push_back({named.name, Renumber(named.expression, NumbersOf(old.input()))});
  }
}

void Pruner::RebuildJoin(int place, const JoinNode& old, JoinNode* node) {
  const auto& left = NumbersOf(old.left());
  const auto& right = NumbersOf(old.right());
  for (auto& key : node->left_keys) key = Renumber(key, left);
  for (auto& key : node->right_keys) key = Renumber(key, right);
  const int num_old_left = static_cast<int>(left.size());
  const int num_new_left = node->left().output.num_fields();
  node->kept.clear();
  for (size_t i = 0; i < old.kept.size(); ++i) {
    if (!needed_[place][i]) continue;
    const int column = old.kept[i];
    node->kept.push_back(column < num_old_left ? left[column]
                                               : num_new_left + right[column - num_old_left]);
  }
}

void Pruner::RebuildAggregate(int place, const AggregateNode& old, AggregateNode* node) {
  const auto& numbers = NumbersOf(old.input());
  for (auto& key : node->keys) key.expression = Renumber(key.expression, numbers);
  node->aggregates.clear();
  for (size_t i = 0; i < old.aggregates.size(); ++i) {
    if (!needed_[place][old.keys.size() + i]) continue;
    node->aggregates.push_back(old.aggregates[i]);
    ExpressionPtr& argument = node->aggregates.back().argument;
    if (argument != nullptr) argument = Renumber(argument, numbers);
  }
}

void Pruner::Rebuild(int place) {
  const ActionNode& old = editor_.old_node(place);
  auto node = editor_.CopyOf(place);
  std::vector<int> outputs;
  numbers_[place].assign(needed_[place].size(), -1);
  for (size_t i = 0; i < needed_[place].size(); ++i) {
    if (!needed_[place][i]) continue;
    numbers_[place][i] = static_cast<int>(outputs.size());
    outputs.push_back(static_cast<int>(i));
  }
  node->output = KeptFields(old.output, outputs);
  const auto rebuild_sorted = [&](auto* sorted) {
    RebuildKept(place, old.input(), &sorted->kept);
    for (SortKey& key : sorted->keys)
      key.expression = Renumber(key.expression, NumbersOf(old.input()));
  };
  switch (node->kind) {
    case ActionKind::kScan:
      RebuildScan(place, static_cast<ScanNode*>(node.get()));
      break;
    case ActionKind::kFilter: {
      auto* filter = static_cast<FilterNode*>(node.get());
      RebuildKept(place, old.input(), &filter->kept);
      for (auto& conjunct : filter->conjuncts)
        conjunct = Renumber(conjunct, NumbersOf(old.input()));
      break;
    }
    case ActionKind::kMap:
      RebuildMap(place, As<MapNode>(old), static_cast<MapNode*>(node.get()));
      break;
    case ActionKind::kJoin:
      RebuildJoin(place, As<JoinNode>(old), static_cast<JoinNode*>(node.get()));
      break;
    case ActionKind::kAggregate:
      RebuildAggregate(place, As<AggregateNode>(old), static_cast<AggregateNode*>(node.get()));
      break;
    case ActionKind::kSort:
      rebuild_sorted(static_cast<SortNode*>(node.get()));
      break;
    case ActionKind::kLimit:
      RebuildKept(place, old.input(), &static_cast<LimitNode*>(node.get())->kept);
      break;
    case ActionKind::kTopN:
      rebuild_sorted(static_cast<TopNNode*>(node.get()));
      break;
    case ActionKind::kSink:
      break;
  }
  editor_.Replace(place, editor_.Add(std::move(node)));
}

}  // namespace

Plan Prune(const Plan& plan) { return Pruner(plan).Run(); }

}  // namespace shadowvm::plan
