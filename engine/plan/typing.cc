// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/typing.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/plan/literal_cast.h"
#include "engine/plan/type_rules.h"

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;
using columns::Type;
using columns::TypeKind;

using Args = std::vector<ExpressionPtr>;

const Type kBoolType = Type::Of(TypeKind::kBool);

// What a typing rule sees.
struct Typing {
  Op op;
  EvalMode mode;
  const Settings& settings;
};

Status Mismatch(Op op, const Args& args) {
  std::string types;
  for (const auto& arg : args) types += (types.empty() ? "" : ", ") + arg->type.ToString();
  return MakeError(ErrorCode::kTypeMismatch,
                   std::string(InfoOf(op).name) + " does not take (" + types + ")");
}

bool AnyNullable(const Args& args) {
  return std::any_of(args.begin(), args.end(), [](const auto& arg) { return arg->nullable; });
}

Status CastTo(ExpressionPtr* arg, Type type, const Settings& settings) {
  SVM_ASSIGN_OR_RETURN(*arg, MakeCast(std::move(*arg), type, DefaultMode(settings)));
  return Status::OK();
}

Status CastAll(Args* args, Type type, const Settings& settings) {
  for (auto& arg : *args) SVM_RETURN_NOT_OK(CastTo(&arg, type, settings));
  return Status::OK();
}

// Text beside a number is read as a number, as Spark does: legacy by the operation's wish, ANSI as
// int64 or double.
Type NumberForText(Type other, Type legacy, bool ansi) {
  if (!ansi) return legacy;
  return Type::Of(other.is_integer() ? TypeKind::kInt64 : TypeKind::kDouble);
}

Status ReadTextAsNumber(Args* args, const Settings& settings) {
  for (int i = 0; i < 2; ++i) {
    const Type other = (*args)[1 - i]->type;
    if ((*args)[i]->type.kind != TypeKind::kString || !IsNumeric(other)) continue;
    const Type number = NumberForText(other, Type::Of(TypeKind::kDouble), settings.ansi);
    SVM_RETURN_NOT_OK(CastTo(&(*args)[i], number, settings));
  }
  return Status::OK();
}

Result<ExpressionPtr> TypeDecimal(const Typing& typing, Args args) {
  for (auto& arg : args) {
    const Type type = arg->type;
    if (!type.is_integer()) continue;
    const bool constant = arg->is_literal() && !arg->literal.is_null;
    SVM_RETURN_NOT_OK(
        CastTo(&arg, constant ? DecimalOf(arg->literal) : DecimalOf(type), typing.settings));
  }
  const Type left = args[0]->type;
  const Type right = args[1]->type;
  const Type result =
      DecimalResult(typing.op, left, right, typing.settings.allow_decimal_precision_loss);
  if (typing.op != Op::kMultiply && typing.op != Op::kDivide) {
    SVM_RETURN_NOT_OK(CastAll(&args, DecimalOperand(left, right), typing.settings));
  }
  const bool nullable = AnyNullable(args);
  ExpressionPtr node = MakeNode(typing.op, result, nullable, std::move(args), typing.mode);
  if (nullable || typing.mode == EvalMode::kAnsi || !CanFail(*node)) return node;
  return MakeNode(typing.op, result, true, node->args, typing.mode);
}

Result<ExpressionPtr> TypeArithmetic(const Typing& typing, Args args) {
  SVM_RETURN_NOT_OK(ReadTextAsNumber(&args, typing.settings));
  const Type left = args[0]->type;
  const Type right = args[1]->type;
  std::optional<Type> common = CommonNumber(left, right, typing.settings.ansi);
  if (!common) return Mismatch(typing.op, args);
  if (common->is_decimal()) return TypeDecimal(typing, std::move(args));
  const bool divides = typing.op == Op::kDivide;
  if (divides) common = Type::Of(TypeKind::kDouble);
  SVM_RETURN_NOT_OK(CastAll(&args, *common, typing.settings));
  const bool by_zero = divides || typing.op == Op::kModulo;
  const bool gives_null = (by_zero && typing.mode != EvalMode::kAnsi) ||
                          (typing.mode == EvalMode::kTry && common->is_integer());
  const bool nullable = gives_null || AnyNullable(args);
  return MakeNode(typing.op, *common, nullable, std::move(args), typing.mode);
}

Result<ExpressionPtr> TypeNegate(const Typing& typing, Args args) {
  const Type type = args[0]->type;
  if (!IsNumeric(type)) return Mismatch(typing.op, args);
  const bool nullable = args[0]->nullable || (typing.mode == EvalMode::kTry && type.is_integer());
  return MakeNode(typing.op, type, nullable, std::move(args), typing.mode);
}

// The type the two sides of a comparison meet in; text is read as what it is compared with.
std::optional<Type> Comparable(Type left, Type right, const Settings& settings) {
  if (const auto common = CommonType(left, right, settings.ansi)) return common;
  if (right.kind == TypeKind::kString) std::swap(left, right);
  if (left.kind != TypeKind::kString || right.kind == TypeKind::kBinary) return std::nullopt;
  return IsNumeric(right) ? NumberForText(right, right, settings.ansi) : right;
}

// A constant compared with a value takes the value's type where that is exact, so that no column is
// converted: "int32 column = 5 as int64" compares int32. The outcome is that of Spark's wider
// comparison.
bool TakeTypeOf(const Expression& value, ExpressionPtr* constant) {
  if (!(*constant)->is_literal() || value.is_literal()) return false;
  auto literal = CastLiteral((*constant)->literal, (*constant)->type, value.type);
  if (!literal) return false;
  if ((*constant)->type != value.type) *constant = MakeLiteral(value.type, *std::move(literal));
  return true;
}

Result<ExpressionPtr> TypeComparison(const Typing& typing, Args args) {
  SVM_RETURN_NOT_OK(MakeComparable(&args[0], &args[1], typing.settings));
  const bool nullable = typing.op != Op::kEqualNullSafe && AnyNullable(args);
  return MakeNode(typing.op, kBoolType, nullable, std::move(args));
}

Result<ExpressionPtr> TypeLogic(const Typing& typing, Args args) {
  for (const auto& arg : args) {
    if (arg->type != kBoolType) return Mismatch(typing.op, args);
  }
  const bool nullable = AnyNullable(args);
  return MakeNode(typing.op, kBoolType, nullable, std::move(args));
}

Result<ExpressionPtr> TypeNullTest(const Typing& typing, Args args) {
  return MakeNode(typing.op, kBoolType, false, std::move(args));
}

// Brings the arguments at 'places' to one type.
Result<Type> Unify(const Typing& typing, const std::vector<size_t>& places, Args* args) {
  Type type = (*args)[places[0]]->type;
  for (const size_t place : places) {
    const auto common = CommonType(type, (*args)[place]->type, typing.settings.ansi);
    if (!common) return Mismatch(typing.op, *args);
    type = *common;
  }
  for (const size_t place : places)
    SVM_RETURN_NOT_OK(CastTo(&(*args)[place], type, typing.settings));
  return type;
}

Result<ExpressionPtr> TypeCase(const Typing& typing, Args args) {
  std::vector<size_t> values;
  for (size_t i = 0; i + 1 < args.size(); i += 2) {
    if (args[i]->type != kBoolType) return Mismatch(typing.op, args);
    values.push_back(i + 1);
  }
  values.push_back(args.size() - 1);
  SVM_ASSIGN_OR_RETURN(const Type type, Unify(typing, values, &args));
  bool nullable = false;
  for (const size_t place : values) nullable |= args[place]->nullable;
  return MakeNode(typing.op, type, nullable, std::move(args));
}

Result<ExpressionPtr> TypeCoalesce(const Typing& typing, Args args) {
  std::vector<size_t> values(args.size());
  for (size_t i = 0; i < args.size(); ++i) values[i] = i;
  SVM_ASSIGN_OR_RETURN(const Type type, Unify(typing, values, &args));
  const bool nullable =
      std::all_of(args.begin(), args.end(), [](const auto& arg) { return arg->nullable; });
  return MakeNode(typing.op, type, nullable, std::move(args));
}

// Items take the value's type where they can; else value and items meet in a wider one.
Result<ExpressionPtr> TypeIn(const Typing& typing, Args args) {
  Type type = args[0]->type;
  for (size_t i = 1; i < args.size(); ++i) {
    if (!args[i]->is_literal()) return Mismatch(typing.op, args);
    if (CastLiteral(args[i]->literal, args[i]->type, type)) continue;
    const auto common = CommonType(type, args[i]->type, typing.settings.ansi);
    if (!common) return Mismatch(typing.op, args);
    type = *common;
  }
  SVM_RETURN_NOT_OK(CastAll(&args, type, typing.settings));
  const bool constant =
      std::all_of(args.begin() + 1, args.end(), [](const auto& arg) { return arg->is_literal(); });
  if (!constant) return Mismatch(typing.op, args);
  const bool nullable = AnyNullable(args);
  return MakeNode(typing.op, kBoolType, nullable, std::move(args));
}

Result<ExpressionPtr> TypeTextTest(const Typing& typing, Args args) {
  for (const auto& arg : args) {
    if (arg->type.kind != TypeKind::kString) return Mismatch(typing.op, args);
  }
  const bool nullable = AnyNullable(args);
  return MakeNode(typing.op, kBoolType, nullable, std::move(args));
}

Result<ExpressionPtr> TypeSubstring(const Typing& typing, Args args) {
  const bool fits = args[0]->type.kind == TypeKind::kString && args[1]->type.is_integer() &&
                    args[2]->type.is_integer();
  if (!fits) return Mismatch(typing.op, args);
  for (int i = 1; i < 3; ++i) {
    SVM_RETURN_NOT_OK(CastTo(&args[i], Type::Of(TypeKind::kInt32), typing.settings));
  }
  const Type type = args[0]->type;
  const bool nullable = AnyNullable(args);
  return MakeNode(typing.op, type, nullable, std::move(args));
}

Result<ExpressionPtr> TypeDatePart(const Typing& typing, Args args) {
  const TypeKind kind = args[0]->type.kind;
  if (kind == TypeKind::kString) {
    SVM_RETURN_NOT_OK(CastTo(&args[0], Type::Of(TypeKind::kDate), typing.settings));
  } else if (kind != TypeKind::kDate && kind != TypeKind::kTimestamp &&
             kind != TypeKind::kTimestampNtz) {
    return Mismatch(typing.op, args);
  }
  const bool nullable = args[0]->nullable;
  return MakeNode(typing.op, Type::Of(TypeKind::kInt32), nullable, std::move(args));
}

// Leaves and casts have makers of their own.
Result<ExpressionPtr> TypeLeaf(const Typing& typing, Args args) {
  return Mismatch(typing.op, args);
}
Result<ExpressionPtr> TypeCast(const Typing& typing, Args args) {
  return Mismatch(typing.op, args);
}

using Rule = Result<ExpressionPtr> (*)(const Typing&, Args);
constexpr Rule kRules[] = {
#define SVM_OPERATION(op, name, least, most, rule, meaning) Type##rule,
#include "engine/plan/operation_table.inc"
#undef SVM_OPERATION
};

Status CheckArity(Op op, size_t num_args) {
  const OperationInfo& info = InfoOf(op);
  const bool too_many = info.most_args >= 0 && num_args > static_cast<size_t>(info.most_args);
  const bool bad_case = op == Op::kCase && num_args % 2 == 0;
  if (num_args >= static_cast<size_t>(info.least_args) && !too_many && !bad_case)
    return Status::OK();
  return MakeError(ErrorCode::kBadCommand, std::string(info.name) + " does not take " +
                                               std::to_string(num_args) + " arguments");
}

}  // namespace

EvalMode DefaultMode(const Settings& settings) {
  return settings.ansi ? EvalMode::kAnsi : EvalMode::kLegacy;
}

Result<ExpressionPtr> MakeTyped(Op op, Args args, EvalMode mode, const Settings& settings) {
  SVM_RETURN_NOT_OK(CheckArity(op, args.size()));
  return kRules[static_cast<int>(op)](Typing{op, mode, settings}, std::move(args));
}

Result<ExpressionPtr> MakeCast(ExpressionPtr arg, Type type, EvalMode mode) {
  if (arg->type == type) return arg;
  if (!CanCast(arg->type, type)) {
    return MakeError(ErrorCode::kTypeMismatch,
                     "cannot cast " + arg->type.ToString() + " to " + type.ToString());
  }
  if (arg->is_literal()) {
    if (auto value = CastLiteral(arg->literal, arg->type, type)) {
      return MakeLiteral(type, *std::move(value));
    }
  }
  const bool gives_null = (mode == EvalMode::kLegacy && LegacyCastCanGiveNull(arg->type, type)) ||
                          (mode == EvalMode::kTry && !IsLossless(arg->type, type));
  const bool nullable = arg->nullable || gives_null;
  Args args;
  args.push_back(std::move(arg));
  return MakeNode(Op::kCast, type, nullable, std::move(args), mode);
}

Status MakeComparable(ExpressionPtr* left, ExpressionPtr* right, const Settings& settings) {
  if (TakeTypeOf(**right, left) || TakeTypeOf(**left, right)) return Status::OK();
  const auto type = Comparable((*left)->type, (*right)->type, settings);
  if (!type) {
    return MakeError(ErrorCode::kTypeMismatch, "cannot compare " + (*left)->type.ToString() +
                                                   " with " + (*right)->type.ToString());
  }
  SVM_RETURN_NOT_OK(CastTo(left, *type, settings));
  return CastTo(right, *type, settings);
}

}  // namespace shadowvm::plan
