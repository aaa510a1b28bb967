// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <memory>
#include <utility>

#include "engine/plan/plan_editor.h"
#include "engine/plan/rewrite.h"

namespace shadowvm::plan {
namespace {

// The sort below a limit that has no other reader; null: none.
const SortNode* SortBelow(const ActionNode& node, const PlanEditor& editor) {
  if (node.kind != ActionKind::kLimit || node.input().kind != ActionKind::kSort) return nullptr;
  if (editor.num_consumers(editor.place_of(node.input())) != 1) return nullptr;
  return &As<SortNode>(node.input());
}

std::unique_ptr<ActionNode> Fused(const LimitNode& limit, const SortNode& sort) {
  auto top = std::make_unique<TopNNode>(limit.id);
  top->keys = sort.keys;
  top->count = limit.count;
  top->offset = limit.offset;
  for (const int column : limit.kept) top->kept.push_back(sort.kept[column]);
  top->output = limit.output;
  return top;
}

}  // namespace

Plan FuseTopN(const Plan& plan) {
  PlanEditor editor(plan);
  std::vector<bool> fused(plan.nodes().size());
  for (int place = 0; place < editor.num_old(); ++place) {
    if (const SortNode* sort = SortBelow(editor.old_node(place), editor)) {
      fused[editor.place_of(*sort)] = true;
    }
  }
  for (int place = 0; place < editor.num_old(); ++place) {
    if (fused[place]) continue;
    const ActionNode& old = editor.old_node(place);
    const SortNode* sort = SortBelow(old, editor);
    auto node = sort == nullptr ? editor.CopyOf(place) : Fused(As<LimitNode>(old), *sort);
    if (sort != nullptr) node->inputs = {editor.replacement(sort->input())};
    editor.Replace(place, editor.Add(std::move(node)));
  }
  return editor.Finish();
}

Plan Rewrite(const Plan& plan) { return Prune(FuseTopN(PushFilters(plan))); }

}  // namespace shadowvm::plan
