// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <utility>

#include "engine/plan/type_rules.h"
#include "engine/plan/typing.h"

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;
using columns::Type;
using columns::TypeKind;

constexpr int kSumDigits = 10;
constexpr int kAverageDigits = 4;

Type SumType(Type argument) {
  if (!argument.is_decimal()) return argument;
  return Type::Decimal(std::min(kMaxPrecision, argument.precision + kSumDigits), argument.scale);
}

Type AverageType(Type argument) {
  if (!argument.is_decimal()) return Type::Of(TypeKind::kDouble);
  return Type::Decimal(std::min(kMaxPrecision, argument.precision + kAverageDigits),
                       std::min(kMaxPrecision, argument.scale + kAverageDigits));
}

// Sums and averages: integers as int64, floats as double.
Status WidenArgument(AggregateCall* call) {
  const Type type = call->argument->type;
  if (!IsNumeric(type)) {
    return MakeError(ErrorCode::kTypeMismatch,
                     std::string(NameOf(call->function)) + " does not take " + type.ToString());
  }
  if (type.is_decimal()) return Status::OK();
  const Type wide = Type::Of(type.is_integer() ? TypeKind::kInt64 : TypeKind::kDouble);
  SVM_ASSIGN_OR_RETURN(call->argument, MakeCast(std::move(call->argument), wide, call->mode));
  return Status::OK();
}

Status TypeSum(AggregateCall* call, bool grouped) {
  SVM_RETURN_NOT_OK(WidenArgument(call));
  const Type type = call->argument->type;
  const bool sums = call->function == AggregateFunction::kSum;
  call->type = sums ? SumType(type) : AverageType(type);
  const bool overflow_gives_null =
      (type.is_decimal() && call->mode != EvalMode::kAnsi) || call->mode == EvalMode::kTry;
  call->nullable = !grouped || call->argument->nullable || overflow_gives_null;
  return Status::OK();
}

}  // namespace

Result<AggregateCall> MakeAggregate(AggregateFunction function, ExpressionPtr argument,
                                    std::string name, EvalMode mode, bool grouped) {
  AggregateCall call{function, std::move(argument), Type::Of(TypeKind::kInt64), false,
                     mode,     std::move(name)};
  const bool wants_argument = function != AggregateFunction::kCountAll;
  if (wants_argument != (call.argument != nullptr)) {
    return MakeError(ErrorCode::kBadCommand, std::string(NameOf(function)) +
                                                 (wants_argument ? " needs" : " does not take") +
                                                 " an argument");
  }
  switch (function) {
    case AggregateFunction::kCount:
    case AggregateFunction::kCountAll:
      break;
    case AggregateFunction::kSum:
    case AggregateFunction::kAvg:
      SVM_RETURN_NOT_OK(TypeSum(&call, grouped));
      break;
    case AggregateFunction::kMin:
    case AggregateFunction::kMax:
      call.type = call.argument->type;
      call.nullable = !grouped || call.argument->nullable;
  }
  return call;
}

}  // namespace shadowvm::plan
