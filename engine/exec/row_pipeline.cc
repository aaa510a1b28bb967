// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/row_pipeline.h"

#include <algorithm>

#include "engine/exec/sort_keys.h"
#include "engine/exec/sort_run.h"
#include "engine/exec/state/row_conversion.h"

namespace shadowvm::exec {
namespace {

bool OnlyPicksColumns(const plan::Step& step) {
  return step.kind == plan::StepKind::kMap &&
         std::all_of(
             step.map->expressions.begin(), step.map->expressions.end(),
             [](const plan::NamedExpression& named) { return named.expression->is_column(); });
}

RowSet PickColumns(RowSet rows, const plan::MapNode& map) {
  std::vector<int> columns;
  for (const plan::NamedExpression& named : map.expressions)
    columns.push_back(named.expression->column);
  return KeepColumns(std::move(rows), columns);
}

// All rows, as they are.
bool HandsOn(plan::SinkKind sink) {
  return sink == plan::SinkKind::kMaterialize || sink == plan::SinkKind::kCollect ||
         sink == plan::SinkKind::kParquet;
}

base::Result<RowSet> RunSink(const QueryContext& context, const plan::Pipeline& pipeline,
                             RowSet rows) {
  switch (pipeline.sink) {
    case plan::SinkKind::kSort:
    case plan::SinkKind::kTopN: {
      SVM_ASSIGN_OR_RETURN(rows, SortRows(context, PlanSort(*pipeline.node), std::move(rows)));
      return KeepColumns(std::move(rows), KeptBy(*pipeline.node));
    }
    case plan::SinkKind::kLimit: {
      const base::Span span(&context.stats->spans, base::Stage::kMerge);
      const auto& node = plan::As<plan::LimitNode>(*pipeline.node);
      SVM_ASSIGN_OR_RETURN(
          rows, Slice(std::move(rows), node.offset, node.count, context.budget, context.workers));
      return KeepColumns(std::move(rows), node.kept);
    }
    default:
      return rows;
  }
}

}  // namespace

bool OnlyRearranges(const plan::Pipeline& pipeline) {
  if (pipeline.source.scan != nullptr) return false;
  if (!std::all_of(pipeline.steps.begin(), pipeline.steps.end(), OnlyPicksColumns)) return false;
  switch (pipeline.sink) {
    case plan::SinkKind::kSort:
    case plan::SinkKind::kTopN:
      return SortsByColumns(*pipeline.node);
    case plan::SinkKind::kLimit:
      return true;
    default:
      return HandsOn(pipeline.sink);
  }
}

base::Result<PipelineOutput> Rearrange(const QueryContext& context, const plan::Pipeline& pipeline,
                                       const PipelineOutput& input) {
  PipelineOutput output;
  output.name = input.name;
  output.schema = pipeline.node->output;
  output.rows = input.rows;
  if (!pipeline.steps.empty() || !HandsOn(pipeline.sink)) {
    RowSet rows = *input.rows;
    for (const plan::Step& step : pipeline.steps) rows = PickColumns(std::move(rows), *step.map);
    SVM_ASSIGN_OR_RETURN(rows, RunSink(context, pipeline, std::move(rows)));
    output.rows = std::make_shared<const RowSet>(std::move(rows));
  }
  output.most_rows = output.rows->num_rows;
  return output;
}

}  // namespace shadowvm::exec
