// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

#include "engine/exec/step_order.h"
#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::exec {

// A blueprint of steps over columns of their own, and what was measured of them.
struct StepCase {
  vkernel::Blueprint blueprint;
  MeasuredSteps steps;

  StepCase() { blueprint.levels.emplace_back(); }

  void Add(vkernel::StepKind kind, int width, double selectivity, double run = 1) {
    vkernel::SourceColumn column;
    column.layout.width = static_cast<uint8_t>(width);
    vkernel::Step step;
    step.kind = kind;
    step.column = static_cast<int>(blueprint.columns.size());
    if (kind == vkernel::StepKind::kProbe) {
      vkernel::Join join;
      join.form = vkernel::JoinForm::kDirect;
      join.key_column = step.column;
      join.slot = static_cast<int>(blueprint.joins.size());
      step.join = static_cast<int>(blueprint.joins.size());
      blueprint.joins.push_back(join);
    }
    blueprint.columns.push_back(column);
    steps.order.push_back(static_cast<uint8_t>(blueprint.levels[0].steps.size()));
    blueprint.levels[0].steps.push_back(step);
    steps.estimates.push_back({selectivity, 1.0});
    steps.estimates.back().run = run;
  }
  // A range of the keys of the last probe, before it.
  void AddRangeOfKeys(double selectivity) {
    vkernel::Step step;
    step.kind = vkernel::StepKind::kRange;
    step.column = blueprint.levels[0].steps.back().column;
    step.slot = static_cast<int>(blueprint.ranges.size());
    blueprint.ranges.push_back(
        {.column = step.column, .join = blueprint.levels[0].steps.back().join});
    steps.order.push_back(static_cast<uint8_t>(blueprint.levels[0].steps.size()));
    blueprint.levels[0].steps.push_back(step);
    steps.estimates.push_back({selectivity, 1.0});
    steps.estimates.back().run = steps.estimates[steps.estimates.size() - 2].run;
  }
};

}  // namespace shadowvm::exec
