// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/base/status.h"
#include "engine/plan/name_index.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_builder.h"
#include "shadowvm/v1/expression.pb.h"

namespace shadowvm::plan {

// Turns wire expressions over one schema into typed ones: columns resolved, BETWEEN and IF lowered
// to what they mean, types by typing.h. The schema must outlive it.
class ExpressionBuilder {
 public:
  ExpressionBuilder(const columns::Schema& schema, const Settings& settings,
                    const PlanLimits& limits)
      : schema_(schema),
        settings_(settings),
        limits_(limits),
        names_(schema, settings.case_sensitive) {}

  base::Result<ExpressionPtr> Build(const v1::Expression& expression) {
    return Build(expression, limits_.max_expression_depth);
  }
  base::Result<EvalMode> ModeOf(v1::EvalMode mode) const;

 private:
  base::Result<ExpressionPtr> Build(const v1::Expression& expression, int depth);
  base::Result<ExpressionPtr> BuildKind(const v1::Expression& expression, int depth);
  base::Result<ExpressionPtr> BuildColumn(const v1::ColumnRef& column);
  base::Result<ExpressionPtr> BuildCall(const v1::Call& call, int depth);
  base::Result<ExpressionPtr> BuildCase(const v1::Case& proto, int depth);
  base::Result<ExpressionPtr> BuildCast(const v1::Cast& cast, int depth);
  base::Result<ExpressionPtr> BuildIn(const v1::InList& in, int depth);
  base::Result<ExpressionPtr> BuildLike(const v1::Like& like, int depth);
  base::Result<ExpressionPtr> Between(std::vector<ExpressionPtr> args);
  base::Result<ExpressionPtr> Negated(bool negated, ExpressionPtr expression);

  const columns::Schema& schema_;
  const Settings& settings_;
  const PlanLimits& limits_;
  NameIndex names_;
};

}  // namespace shadowvm::plan
