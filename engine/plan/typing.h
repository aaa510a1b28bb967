// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/plan/action_node.h"
#include "engine/plan/expression.h"
#include "engine/plan/plan.h"

// Expressions typed by Spark's rules: operands are brought to the types an operation wants by kCast
// nodes, result type and nullability follow. Arguments are typed already. Errors are kTypeMismatch
// and name operation and types; who knows the place adds it.
namespace shadowvm::plan {

// The mode of operations that name none.
EvalMode DefaultMode(const Settings& settings);

// Any operation but leaves, kCast and kLike.
base::Result<ExpressionPtr> MakeTyped(Op op, std::vector<ExpressionPtr> args, EvalMode mode,
                                      const Settings& settings);

// 'arg' itself when it has the type; a literal where the conversion is exact.
base::Result<ExpressionPtr> MakeCast(ExpressionPtr arg, columns::Type type, EvalMode mode);

// A pattern that needs no matcher ("abc%") becomes the plainer operation.
base::Result<ExpressionPtr> MakeLike(ExpressionPtr value, const std::string& pattern,
                                     char32_t escape);

// Brings two keys of a join to one type, as = would.
base::Status MakeComparable(ExpressionPtr* left, ExpressionPtr* right, const Settings& settings);

// sum: integers as int64, floats as double, decimal(p,s) as decimal(p+10,s). avg: decimal(p,s) as
// decimal(p+4,s+4), all else as double; integers are handed over as int64 to be summed exactly,
// without wrapping. count: int64. min, max: the argument's type. 'grouped': no group is empty.
base::Result<AggregateCall> MakeAggregate(AggregateFunction function, ExpressionPtr argument,
                                          std::string name, EvalMode mode, bool grouped);

}  // namespace shadowvm::plan
