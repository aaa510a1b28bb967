// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/plan/plan.h"

namespace shadowvm::plan {

// Collects the nodes of a plan that is made from another one. Old nodes are named by their place in
// the old plan.
class PlanEditor {
 public:
  explicit PlanEditor(const Plan& old);

  int num_old() const { return static_cast<int>(old_.nodes().size()); }
  const ActionNode& old_node(int place) const { return *old_.nodes()[place]; }
  int place_of(const ActionNode& old) const { return places_.at(&old); }
  // How many inputs of other nodes it is.
  int num_consumers(int place) const { return num_consumers_[place]; }

  // Adds a node; its inputs must be new nodes already. Returns it.
  const ActionNode* Add(std::unique_ptr<const ActionNode> node);
  // What stands for an old node from now on: the new node of the same columns.
  void Replace(int place, const ActionNode* node) { replacements_[place] = node; }
  const ActionNode* replacement(int place) const { return replacements_[place]; }
  const ActionNode* replacement(const ActionNode& old) const {
    return replacements_[place_of(old)];
  }

  // A copy of an old node whose inputs are the replacements of its old inputs. Not added yet.
  std::unique_ptr<ActionNode> CopyOf(int place) const;

  Plan Finish() { return Plan(old_.settings(), std::move(nodes_)); }

 private:
  const Plan& old_;
  std::unordered_map<const ActionNode*, int> places_;
  std::vector<int> num_consumers_;
  std::vector<const ActionNode*> replacements_;
  std::vector<std::unique_ptr<const ActionNode>> nodes_;
};

}  // namespace shadowvm::plan
