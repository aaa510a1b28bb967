// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/expression_builder.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/plan/proto_values.h"
#include "engine/plan/typing.h"

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;

std::optional<Op> OpOf(v1::Operator op) {
  switch (op) {
    case v1::OPERATOR_ADD:
      return Op::kAdd;
    case v1::OPERATOR_SUBTRACT:
      return Op::kSubtract;
    case v1::OPERATOR_MULTIPLY:
      return Op::kMultiply;
    case v1::OPERATOR_DIVIDE:
      return Op::kDivide;
    case v1::OPERATOR_MODULO:
      return Op::kModulo;
    case v1::OPERATOR_NEGATE:
      return Op::kNegate;
    case v1::OPERATOR_EQUAL:
      return Op::kEqual;
    case v1::OPERATOR_NOT_EQUAL:
      return Op::kNotEqual;
    case v1::OPERATOR_LESS:
      return Op::kLess;
    case v1::OPERATOR_LESS_EQUAL:
      return Op::kLessEqual;
    case v1::OPERATOR_GREATER:
      return Op::kGreater;
    case v1::OPERATOR_GREATER_EQUAL:
      return Op::kGreaterEqual;
    case v1::OPERATOR_EQUAL_NULL_SAFE:
      return Op::kEqualNullSafe;
    case v1::OPERATOR_AND:
      return Op::kAnd;
    case v1::OPERATOR_OR:
      return Op::kOr;
    case v1::OPERATOR_NOT:
      return Op::kNot;
    case v1::OPERATOR_IS_NULL:
      return Op::kIsNull;
    case v1::OPERATOR_IS_NOT_NULL:
      return Op::kIsNotNull;
    case v1::OPERATOR_COALESCE:
      return Op::kCoalesce;
    case v1::OPERATOR_STARTS_WITH:
      return Op::kStartsWith;
    case v1::OPERATOR_ENDS_WITH:
      return Op::kEndsWith;
    case v1::OPERATOR_CONTAINS:
      return Op::kContains;
    case v1::OPERATOR_SUBSTRING:
      return Op::kSubstring;
    case v1::OPERATOR_YEAR:
      return Op::kYear;
    case v1::OPERATOR_MONTH:
      return Op::kMonth;
    case v1::OPERATOR_DAY:
      return Op::kDay;
    default:
      return std::nullopt;
  }
}

// The one character of an escape clause, read as UTF-8. Nothing: not exactly one character.
std::optional<char32_t> OneCharacter(const std::string& text) {
  if (text.empty()) return U'\\';
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() != length) return std::nullopt;
  char32_t point = length == 1 ? first : first & (0x7FU >> length);
  for (size_t i = 1; i < length; ++i) {
    point = (point << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return point;
}

Status Unset() {
  return MakeError(ErrorCode::kBadCommand, "an expression is not set or not known");
}

}  // namespace

Result<EvalMode> ExpressionBuilder::ModeOf(v1::EvalMode mode) const {
  switch (mode) {
    case v1::EVAL_MODE_LEGACY:
      return EvalMode::kLegacy;
    case v1::EVAL_MODE_ANSI:
      return EvalMode::kAnsi;
    case v1::EVAL_MODE_TRY:
      return EvalMode::kTry;
    case v1::EVAL_MODE_UNSPECIFIED:
      return DefaultMode(settings_);
    default:
      return MakeError(ErrorCode::kUnsupported,
                       "eval mode number " + std::to_string(static_cast<int>(mode)));
  }
}

Result<ExpressionPtr> ExpressionBuilder::Build(const v1::Expression& expression, int depth) {
  if (depth == 0) {
    return MakeError(ErrorCode::kBadCommand, "an expression nests deeper than " +
                                                 std::to_string(limits_.max_expression_depth));
  }
  SVM_ASSIGN_OR_RETURN(auto built, BuildKind(expression, depth - 1));
  if (built->size > limits_.max_expression_size) {
    return MakeError(
        ErrorCode::kBadCommand,
        "an expression has more than " + std::to_string(limits_.max_expression_size) + " parts");
  }
  return built;
}

Result<ExpressionPtr> ExpressionBuilder::BuildKind(const v1::Expression& expression, int depth) {
  switch (expression.kind_case()) {
    case v1::Expression::kColumn:
      return BuildColumn(expression.column());
    case v1::Expression::kLiteral:
      return LiteralFromProto(expression.literal());
    case v1::Expression::kCall:
      return BuildCall(expression.call(), depth);
    case v1::Expression::kCast:
      return BuildCast(expression.cast(), depth);
    case v1::Expression::kCase:
      return BuildCase(expression.case_(), depth);
    case v1::Expression::kInList:
      return BuildIn(expression.in_list(), depth);
    case v1::Expression::kLike:
      return BuildLike(expression.like(), depth);
    case v1::Expression::KIND_NOT_SET:
      return Unset();
  }
  return Unset();
}

Result<ExpressionPtr> ExpressionBuilder::BuildColumn(const v1::ColumnRef& column) {
  int ordinal = -1;
  if (column.by_case() == v1::ColumnRef::kName) {
    SVM_ASSIGN_OR_RETURN(ordinal, names_.Find(column.name()));
  } else if (column.by_case() == v1::ColumnRef::kOrdinal) {
    if (column.ordinal() >= schema_.fields.size()) {
      return MakeError(ErrorCode::kUnknownColumn,
                       "ordinal " + std::to_string(column.ordinal()) + " of " +
                           std::to_string(schema_.fields.size()) + " columns");
    }
    ordinal = static_cast<int>(column.ordinal());
  } else {
    return Unset();
  }
  const columns::Field& field = schema_.fields[ordinal];
  return MakeColumn(ordinal, field.type, field.nullable);
}

Result<ExpressionPtr> ExpressionBuilder::BuildCall(const v1::Call& call, int depth) {
  std::vector<ExpressionPtr> args;
  args.reserve(call.args_size());
  for (const auto& arg : call.args()) {
    SVM_ASSIGN_OR_RETURN(auto built, Build(arg, depth));
    args.push_back(std::move(built));
  }
  if (call.operator_() == v1::OPERATOR_BETWEEN) return Between(std::move(args));
  if (call.operator_() == v1::OPERATOR_IF && args.size() == 3) {
    return MakeTyped(Op::kCase, std::move(args), EvalMode::kLegacy, settings_);
  }
  const auto op = OpOf(call.operator_());
  if (!op) {
    return MakeError(ErrorCode::kUnsupported,
                     "operator number " + std::to_string(static_cast<int>(call.operator_())) +
                         " of " + std::to_string(args.size()) + " arguments");
  }
  SVM_ASSIGN_OR_RETURN(const EvalMode mode, ModeOf(call.eval_mode()));
  return MakeTyped(*op, std::move(args), mode, settings_);
}

Result<ExpressionPtr> ExpressionBuilder::Between(std::vector<ExpressionPtr> args) {
  if (args.size() != 3) {
    return MakeError(ErrorCode::kBadCommand, "between takes a value, a low and a high end");
  }
  const EvalMode mode = DefaultMode(settings_);
  SVM_ASSIGN_OR_RETURN(auto low, MakeTyped(Op::kGreaterEqual, {args[0], args[1]}, mode, settings_));
  SVM_ASSIGN_OR_RETURN(auto high, MakeTyped(Op::kLessEqual, {args[0], args[2]}, mode, settings_));
  return MakeTyped(Op::kAnd, {std::move(low), std::move(high)}, mode, settings_);
}

Result<ExpressionPtr> ExpressionBuilder::BuildCase(const v1::Case& proto, int depth) {
  if (proto.branches_size() == 0) {
    return MakeError(ErrorCode::kBadCommand, "case without branches");
  }
  std::vector<ExpressionPtr> args;
  for (const auto& branch : proto.branches()) {
    SVM_ASSIGN_OR_RETURN(auto condition, Build(branch.condition(), depth));
    SVM_ASSIGN_OR_RETURN(auto value, Build(branch.value(), depth));
    args.push_back(std::move(condition));
    args.push_back(std::move(value));
  }
  if (proto.has_otherwise()) {
    SVM_ASSIGN_OR_RETURN(auto otherwise, Build(proto.otherwise(), depth));
    args.push_back(std::move(otherwise));
  } else {
    args.push_back(MakeLiteral(args[1]->type, Literal::Null()));
  }
  return MakeTyped(Op::kCase, std::move(args), EvalMode::kLegacy, settings_);
}

Result<ExpressionPtr> ExpressionBuilder::BuildCast(const v1::Cast& cast, int depth) {
  SVM_ASSIGN_OR_RETURN(auto arg, Build(cast.arg(), depth));
  SVM_ASSIGN_OR_RETURN(const columns::Type type, TypeFromProto(cast.type()));
  SVM_ASSIGN_OR_RETURN(const EvalMode mode, ModeOf(cast.eval_mode()));
  return MakeCast(std::move(arg), type, mode);
}

Result<ExpressionPtr> ExpressionBuilder::BuildIn(const v1::InList& in, int depth) {
  std::vector<ExpressionPtr> args;
  args.reserve(in.items_size() + 1);
  SVM_ASSIGN_OR_RETURN(auto value, Build(in.value(), depth));
  args.push_back(std::move(value));
  for (const auto& item : in.items()) {
    SVM_ASSIGN_OR_RETURN(auto literal, LiteralFromProto(item));
    args.push_back(std::move(literal));
  }
  SVM_ASSIGN_OR_RETURN(auto node,
                       MakeTyped(Op::kIn, std::move(args), EvalMode::kLegacy, settings_));
  return Negated(in.negated(), std::move(node));
}

Result<ExpressionPtr> ExpressionBuilder::BuildLike(const v1::Like& like, int depth) {
  const auto escape = OneCharacter(like.escape());
  if (!escape) return MakeError(ErrorCode::kBadCommand, "escape must be one character");
  SVM_ASSIGN_OR_RETURN(auto value, Build(like.value(), depth));
  SVM_ASSIGN_OR_RETURN(auto node, MakeLike(std::move(value), like.pattern(), *escape));
  return Negated(like.negated(), std::move(node));
}

Result<ExpressionPtr> ExpressionBuilder::Negated(bool negated, ExpressionPtr expression) {
  if (!negated) return expression;
  return MakeTyped(Op::kNot, {std::move(expression)}, EvalMode::kLegacy, settings_);
}

}  // namespace shadowvm::plan
