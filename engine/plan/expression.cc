// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/expression.h"

#include <bit>
#include <limits>
#include <utility>

#include "engine/plan/type_rules.h"

namespace shadowvm::plan {
namespace {

constexpr OperationInfo kOperations[] = {
#define SVM_OPERATION(op, name, least, most, rule, meaning) {name, least, most, meaning},
#include "engine/plan/operation_table.inc"
#undef SVM_OPERATION
};

uint32_t SizeOf(const std::vector<ExpressionPtr>& args) {
  uint64_t size = 1;
  for (const auto& arg : args) size += arg->size;
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(size < kMost ? size : kMost);
}

// The same node with other arguments; itself when none has changed.
template <typename Rewrite>
ExpressionPtr WithArgs(const ExpressionPtr& expression, const Rewrite& rewrite) {
  std::vector<ExpressionPtr> args;
  args.reserve(expression->args.size());
  bool changed = false;
  for (const auto& arg : expression->args) {
    args.push_back(rewrite(arg));
    changed |= args.back() != arg;
  }
  if (!changed) return expression;
  auto copy = std::make_shared<Expression>(*expression);
  copy->size = SizeOf(args);
  copy->args = std::move(args);
  return copy;
}

}  // namespace

bool Literal::operator==(const Literal& other) const {
  return is_null == other.is_null && integer == other.integer &&
         std::bit_cast<uint64_t>(number) == std::bit_cast<uint64_t>(other.number) &&
         text == other.text;
}

const OperationInfo& InfoOf(Op op) { return kOperations[static_cast<int>(op)]; }

ExpressionPtr MakeColumn(int ordinal, columns::Type type, bool nullable) {
  auto node = std::make_shared<Expression>();
  node->op = Op::kColumn;
  node->type = type;
  node->nullable = nullable;
  node->column = ordinal;
  return node;
}

ExpressionPtr MakeLiteral(columns::Type type, Literal value) {
  auto node = std::make_shared<Expression>();
  node->op = Op::kLiteral;
  node->type = type;
  node->nullable = value.is_null;
  node->literal = std::move(value);
  return node;
}

ExpressionPtr MakeNode(Op op, columns::Type type, bool nullable, std::vector<ExpressionPtr> args,
                       EvalMode mode) {
  auto node = std::make_shared<Expression>();
  node->op = op;
  node->mode = mode;
  node->type = type;
  node->nullable = nullable;
  node->size = SizeOf(args);
  node->args = std::move(args);
  return node;
}

bool Equals(const Expression& left, const Expression& right) {
  if (&left == &right) return true;
  if (left.op != right.op || left.mode != right.mode || left.type != right.type ||
      left.column != right.column || left.escape != right.escape ||
      left.args.size() != right.args.size() || !(left.literal == right.literal)) {
    return false;
  }
  for (size_t i = 0; i < left.args.size(); ++i) {
    if (!Equals(*left.args[i], *right.args[i])) return false;
  }
  return true;
}

void MarkColumns(const Expression& expression, std::vector<bool>* used) {
  if (expression.is_column()) (*used)[expression.column] = true;
  for (const auto& arg : expression.args) MarkColumns(*arg, used);
}

ExpressionPtr Renumber(const ExpressionPtr& expression, const std::vector<int>& numbers) {
  if (expression->is_column()) {
    const int number = numbers[expression->column];
    if (number == expression->column) return expression;
    return MakeColumn(number, expression->type, expression->nullable);
  }
  return WithArgs(expression, [&](const ExpressionPtr& arg) { return Renumber(arg, numbers); });
}

ExpressionPtr Substitute(const ExpressionPtr& expression,
                         const std::vector<ExpressionPtr>& values) {
  if (expression->is_column()) return values[expression->column];
  return WithArgs(expression, [&](const ExpressionPtr& arg) { return Substitute(arg, values); });
}

bool KeepsEveryInteger(columns::Type from, columns::Type to) {
  return from.is_integer() && to.is_integer() && from.kind <= to.kind;
}

const Expression& WithoutWidening(const Expression& expression) {
  const Expression* inner = &expression;
  while (inner->op == Op::kCast && KeepsEveryInteger(inner->arg(0).type, inner->type)) {
    inner = &inner->arg(0);
  }
  return *inner;
}

bool CanRaise(const Expression& expression) {
  if (expression.mode == EvalMode::kAnsi && CanFail(expression)) return true;
  for (const auto& arg : expression.args) {
    if (CanRaise(*arg)) return true;
  }
  return false;
}

}  // namespace shadowvm::plan
