// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/column_trace.h"

namespace shadowvm::exec {
namespace {

using plan::Expression;
using plan::Op;

// Where a column of the row comes from: a column of the source, or -1.
using Origins = std::vector<int>;

int OriginOf(const Expression& expression, const Origins& origins) {
  const Expression& inner = plan::WithoutWidening(expression);
  return inner.is_column() ? origins[inner.column] : -1;
}

Origins Keep(const Origins& origins, const std::vector<int>& kept) {
  Origins result;
  for (const int column : kept) result.push_back(origins[column]);
  return result;
}

Origins AfterStep(const plan::Step& step, const Origins& origins) {
  switch (step.kind) {
    case plan::StepKind::kFilter:
      return Keep(origins, step.filter->kept);
    case plan::StepKind::kMap: {
      Origins result;
      for (const auto& named : step.map->expressions) {
        result.push_back(OriginOf(*named.expression, origins));
      }
      return result;
    }
    case plan::StepKind::kProbe: {
      // Columns of the build side, wherever they stand among the kept ones, come from no source.
      Origins both = origins;
      both.resize(origins.size() + step.join->right().output.fields.size(), -1);
      return Keep(both, step.join->kept);
    }
  }
  return {};
}

}  // namespace

int TraceColumn(const plan::Pipeline& pipeline, int num_source_columns, size_t step,
                const Expression& expression) {
  Origins origins;
  for (int i = 0; i < num_source_columns; ++i) origins.push_back(i);
  for (size_t i = 0; i < step; ++i) origins = AfterStep(pipeline.steps[i], origins);
  return OriginOf(expression, origins);
}

}  // namespace shadowvm::exec
