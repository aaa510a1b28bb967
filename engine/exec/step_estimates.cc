// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/step_estimates.h"

#include <algorithm>

namespace shadowvm::exec {
namespace {

using vkernel::Step;
using vkernel::StepKind;

// Nanoseconds a row on one core of a current server, measured once; only their proportions matter.
constexpr double kRangeCostPerByte = 0.08;
constexpr double kPassCost = 0.6;
constexpr double kSmallSetCost = 0.4;  // a byte map in L1
constexpr double kBitmapCost = 0.7;    // a bitmap in L2
constexpr double kLargeSetCost = 2.5;  // a bitmap beyond it
constexpr double kHashCost = 8.0;
constexpr double kWhereCost = 2.0;
constexpr int64_t kL2Bits = int64_t{8} << 20;

double Width(const columns::Zone& zone) {
  return static_cast<double>(zone.max) - static_cast<double>(zone.min) + 1;
}

// The share of a zone that a range covers, taking values as spread evenly.
double ShareOf(const ValueRange& range, const columns::Zone& zone) {
  if (range.empty()) return 0;
  if (!zone.known) return 0.3;
  const double low = static_cast<double>(std::max(range.min, zone.min));
  const double high = static_cast<double>(std::min(range.max, zone.max));
  return std::clamp((high - low + 1) / Width(zone), 0.0, 1.0);
}

bool CanRaise(const plan::ExpressionPtr& expression) {
  return expression != nullptr && plan::CanRaise(*expression);
}

// Whether a step, or the key of one, could fail the query.
bool StepsCanRaise(const vkernel::Blueprint& blueprint) {
  for (const auto& level : blueprint.levels) {
    for (const Step& step : level.steps) {
      if (CanRaise(step.condition)) return true;
    }
  }
  return std::any_of(blueprint.joins.begin(), blueprint.joins.end(), [](const vkernel::Join& join) {
    return std::any_of(join.keys.begin(), join.keys.end(), CanRaise);
  });
}

// The sink looks keys up by group code, where a missing key falls into a slot of trash. Not where
// what is computed for such rows, there or before, could fail the query.
bool SinkDropsMisses(const vkernel::Blueprint& blueprint, int join) {
  const vkernel::Join& probed = blueprint.joins[join];
  if (probed.form != vkernel::JoinForm::kDirect || probed.reads_rows) return false;
  if (StepsCanRaise(blueprint)) return false;
  for (const vkernel::Accumulate& accumulate : blueprint.sink.accumulates) {
    if (accumulate.checked || plan::CanRaise(*accumulate.argument)) return false;
  }
  return std::any_of(blueprint.sink.keys.begin(), blueprint.sink.keys.end(),
                     [&](const vkernel::GroupKey& key) {
                       return key.kind == vkernel::GroupKeyKind::kJoinCode && key.join == join;
                     });
}

StepEstimate EstimateRange(const PipelineBinding& binding, const Step& step) {
  const vkernel::SourceColumn& column = binding.blueprint().columns[step.column];
  const columns::Zone zone = binding.source().table->zone(column.ordinal);
  StepEstimate estimate;
  estimate.selectivity = ShareOf(binding.range(step.slot), zone);
  estimate.cost = kRangeCostPerByte * column.layout.width;
  estimate.optional = binding.blueprint().ranges[step.slot].join >= 0;
  const ValueRange& range = binding.range(step.slot);
  estimate.redundant =
      zone.known && !column.layout.nullable && range.min <= zone.min && range.max >= zone.max;
  return estimate;
}

StepEstimate EstimateProbe(const PipelineBinding& binding, const Step& step) {
  const vkernel::Join& join = binding.blueprint().joins[step.join];
  const JoinTable& table = *binding.joins()[step.join].table;
  StepEstimate estimate;
  if (join.form == vkernel::JoinForm::kHash) {
    estimate.cost = kHashCost;
    if (join.kind == plan::JoinKind::kLeftOuter) estimate.selectivity = 1;
    return estimate;
  }
  const kernels::DirectView view = table.direct();
  const double share =
      static_cast<double>(table.num_keys()) / std::max<double>(1, static_cast<double>(view.size));
  const bool anti = join.kind == plan::JoinKind::kLeftAnti;
  estimate.selectivity = std::clamp(anti ? 1 - share : share, 0.0, 1.0);
  estimate.cost = view.bytes != nullptr                        ? kSmallSetCost
                  : static_cast<int64_t>(view.size) <= kL2Bits ? kBitmapCost
                                                               : kLargeSetCost;
  const bool nullable =
      join.key_column < 0 || binding.blueprint().columns[join.key_column].layout.nullable;
  estimate.redundant = !anti && !nullable && table.covers_probes();
  // A null key has no code of its own: only the probe drops it.
  estimate.optional = !nullable && SinkDropsMisses(binding.blueprint(), step.join);
  return estimate;
}

StepEstimate Estimate(const PipelineBinding& binding, const Step& step) {
  switch (step.kind) {
    case StepKind::kRange:
      return EstimateRange(binding, step);
    case StepKind::kProbe:
      return EstimateProbe(binding, step);
    case StepKind::kPass:
      return {binding.predicate(step.slot).selectivity(), kPassCost};
    case StepKind::kValid:
      return {0.9, kPassCost};
    case StepKind::kNull:
      return {0.1, kPassCost};
    case StepKind::kWhere:
      return {0.5, kWhereCost};
  }
  return {};
}

}  // namespace

std::vector<StepEstimate> EstimateSteps(const PipelineBinding& binding) {
  std::vector<StepEstimate> estimates;
  for (const Step& step : binding.blueprint().levels[0].steps)
    estimates.push_back(Estimate(binding, step));
  return estimates;
}

}  // namespace shadowvm::exec
