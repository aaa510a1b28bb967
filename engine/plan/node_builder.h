// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/base/status.h"
#include "engine/plan/action_node.h"
#include "engine/plan/plan_builder.h"

namespace shadowvm::plan {

// What every action is built with.
struct BuildContext {
  const Settings& settings;
  const PlanLimits& limits;
  Catalog* catalog;
};

// The typed node of one action over typed inputs. Errors name the place within the action.
base::Result<std::unique_ptr<ActionNode>> BuildNode(const v1::Action& action,
                                                    std::vector<const ActionNode*> inputs,
                                                    const BuildContext& context);

// 0, 1, …, count - 1: what a node that keeps every column keeps.
std::vector<int> AllColumns(int count);
// The fields of 'schema' at 'kept'.
columns::Schema KeptFields(const columns::Schema& schema, const std::vector<int>& kept);
// The columns a join's 'kept' counts: left's, then right's.
columns::Schema Joined(const columns::Schema& left, const columns::Schema& right);
// Appends the operands of nested ANDs, in order, without those that are the constant true.
void SplitConjuncts(const ExpressionPtr& condition, std::vector<ExpressionPtr>* conjuncts);

}  // namespace shadowvm::plan
