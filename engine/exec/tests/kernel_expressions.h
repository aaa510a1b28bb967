// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/client/client.h"
#include "engine/columns/type.h"
#include "engine/plan/expression.h"

namespace shadowvm::exec {

// An expression over the columns of kernel_values.h that is made to try one operation.
struct TestExpression {
  plan::Op op;
  client::Expr expr;
};

// Every operation of the table, for operands of many types and both kinds of nullability. Some are
// not accepted: which types an operation takes is the planner's to say.
std::vector<TestExpression> ExpressionsOf(v1::EvalMode mode);

v1::Type ToProto(columns::Type type);

}  // namespace shadowvm::exec
