// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/plan/plan.h"

// Rewrites that keep a plan's answer and make it cheaper. Hand-written commands filter late, carry
// every column and sort before they limit; a planner's commands mostly pass unchanged. Each gives a
// new plan.
namespace shadowvm::plan {

// Moves each condition as far down as the columns it reads allow: below joins, sorts, maps that
// only rename, and group-bys it restricts by key; merges adjacent filters. A condition that can
// fail the query keeps its place behind what guarded it: it is never moved below a join or an
// aggregate.
Plan PushFilters(const Plan& plan);

// A limit right above a sort becomes one top-n.
Plan FuseTopN(const Plan& plan);

// Every node's output holds only columns that something above reads.
Plan Prune(const Plan& plan);

// All of the above, in the order that works: what every command goes through before it is cut into
// pipelines.
Plan Rewrite(const Plan& plan);

}  // namespace shadowvm::plan
