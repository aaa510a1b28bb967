// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>

#include "engine/exec/interpret/interpreter.h"

namespace shadowvm::exec {

using plan::Expression;
using plan::ExpressionPtr;

ExpressionPtr FoldConstants(const ExpressionPtr& expression) {
  if (expression->args.empty()) return expression;
  std::vector<ExpressionPtr> args;
  for (const ExpressionPtr& arg : expression->args) args.push_back(FoldConstants(arg));
  const auto is_literal = [](const ExpressionPtr& arg) { return arg->is_literal(); };
  const bool changed = args != expression->args;
  auto folded = changed ? std::make_shared<Expression>(*expression) : nullptr;
  if (changed) folded->args = std::move(args);
  const ExpressionPtr result = changed ? ExpressionPtr(std::move(folded)) : expression;
  if (!std::all_of(result->args.begin(), result->args.end(), is_literal)) return result;
  const base::Result<Value> value = Evaluate(*result, {});
  return value.ok() ? plan::MakeLiteral(result->type, *value) : result;
}

}  // namespace shadowvm::exec
