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

bool Sorts(const plan::Pipeline& pipeline) {
  return pipeline.sink == plan::SinkKind::kSort || pipeline.sink == plan::SinkKind::kTopN;
}

base::Result<RowSet> RunSink(const QueryContext& context, const plan::Pipeline& pipeline,
                             RowSet rows, bool in_order) {
  switch (pipeline.sink) {
    case plan::SinkKind::kSort:
    case plan::SinkKind::kTopN: {
      const SortPlan sort = PlanSort(*pipeline.node);
      if (in_order) {
        const base::Span span(&context.stats->spans, base::Stage::kMerge);
        SVM_ASSIGN_OR_RETURN(rows, Slice(std::move(rows), sort.part.offset, sort.part.count,
                                         context.budget, context.workers));
      } else {
        SVM_ASSIGN_OR_RETURN(rows, SortRows(context, sort, std::move(rows)));
      }
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
  if (Sorts(pipeline)) return SortsByColumns(*pipeline.node);
  return pipeline.sink == plan::SinkKind::kLimit || HandsOn(pipeline.sink);
}

std::vector<SortColumn> OrderGivenBy(const plan::Pipeline& pipeline) {
  if (!Sorts(pipeline)) return {};
  std::vector<SortColumn> order = PlanSort(*pipeline.node).keys;
  for (auto step = pipeline.steps.rbegin(); step != pipeline.steps.rend(); ++step) {
    for (SortColumn& by : order) by.column = step->map->expressions[by.column].expression->column;
  }
  return order;
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
    const bool in_order = !input.order.empty() && input.order == OrderGivenBy(pipeline);
    SVM_ASSIGN_OR_RETURN(rows, RunSink(context, pipeline, std::move(rows), in_order));
    output.rows = std::make_shared<const RowSet>(std::move(rows));
  }
  output.most_rows = output.rows->num_rows;
  return output;
}

}  // namespace shadowvm::exec
