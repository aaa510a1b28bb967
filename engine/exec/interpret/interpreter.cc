// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/interpret/interpreter.h"

#include "engine/exec/interpret/operations.h"
#include "engine/kernels/common/compare.h"
#include "engine/kernels/common/date.h"
#include "engine/kernels/common/text_match.h"

namespace shadowvm::exec {
namespace {

using columns::Type;
using columns::TypeKind;
using plan::Expression;
using plan::Op;

using Row = std::span<const Value>;
using Outcome = base::Result<Value>;

Value Bool(bool value) { return Value::Integer(value ? 1 : 0); }
bool IsTrue(const Value& value) { return !value.is_null && value.integer != 0; }

bool Holds(Op op, int order) {
  switch (op) {
    case Op::kEqual:
      return order == 0;
    case Op::kNotEqual:
      return order != 0;
    case Op::kLess:
      return order < 0;
    case Op::kLessEqual:
      return order <= 0;
    case Op::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

Value NullSafeEqual(Type type, const Value& left, const Value& right) {
  if (left.is_null || right.is_null) return Bool(left.is_null == right.is_null);
  return Bool(CompareValues(type, left, right) == 0);
}

// Three-valued; the right side is evaluated only where the left one does not decide.
Outcome EvaluateLogic(const Expression& expression, Row row) {
  const bool deciding = expression.op == Op::kOr;
  SVM_ASSIGN_OR_RETURN(const Value left, Evaluate(expression.arg(0), row));
  if (!left.is_null && IsTrue(left) == deciding) return left;
  SVM_ASSIGN_OR_RETURN(const Value right, Evaluate(expression.arg(1), row));
  if (!right.is_null && IsTrue(right) == deciding) return right;
  return left.is_null || right.is_null ? Value::Null() : Bool(!deciding);
}

Outcome EvaluateCase(const Expression& expression, Row row) {
  const size_t last = expression.args.size() - 1;
  for (size_t i = 0; i < last; i += 2) {
    SVM_ASSIGN_OR_RETURN(const Value when, Evaluate(*expression.args[i], row));
    if (IsTrue(when)) return Evaluate(*expression.args[i + 1], row);
  }
  return Evaluate(*expression.args[last], row);
}

Outcome EvaluateCoalesce(const Expression& expression, Row row) {
  for (const auto& arg : expression.args) {
    SVM_ASSIGN_OR_RETURN(Value value, Evaluate(*arg, row));
    if (!value.is_null) return value;
  }
  return Value::Null();
}

Outcome EvaluateIn(const Expression& expression, Row row) {
  SVM_ASSIGN_OR_RETURN(const Value value, Evaluate(expression.arg(0), row));
  if (value.is_null) return Value::Null();
  bool null_item = false;
  for (size_t i = 1; i < expression.args.size(); ++i) {
    SVM_ASSIGN_OR_RETURN(const Value item, Evaluate(*expression.args[i], row));
    null_item |= item.is_null;
    if (!item.is_null && CompareValues(expression.arg(0).type, value, item) == 0) return Bool(true);
  }
  return null_item ? Value::Null() : Bool(false);
}

bool TestText(const Expression& expression, const Value& value, const Value& pattern) {
  switch (expression.op) {
    case Op::kStartsWith:
      return kernels::text_starts_with(TextOf(value), TextOf(pattern));
    case Op::kEndsWith:
      return kernels::text_ends_with(TextOf(value), TextOf(pattern));
    case Op::kContains:
      return kernels::text_contains(TextOf(value), TextOf(pattern));
    default:
      return kernels::text_like(TextOf(value), TextOf(pattern),
                                static_cast<char>(expression.escape));
  }
}

Outcome EvaluateSubstring(const Expression& expression, Row row) {
  Value args[3];
  for (size_t i = 0; i < 3; ++i) {
    SVM_ASSIGN_OR_RETURN(args[i], Evaluate(expression.arg(i), row));
    if (args[i].is_null) return Value::Null();
  }
  const kernels::Text part =
      kernels::text_substring(TextOf(args[0]), args[1].int64(), args[2].int64());
  return Value::Text(std::string(part.data, part.size));
}

Value DatePart(const Expression& expression, const Value& value) {
  const bool is_date = expression.arg(0).type.kind == TypeKind::kDate;
  const int64_t days = is_date ? value.int64() : kernels::days_of_micros(value.int64());
  switch (expression.op) {
    case Op::kYear:
      return Value::Integer(kernels::year_of_days(days));
    case Op::kMonth:
      return Value::Integer(kernels::month_of_days(days));
    default:
      return Value::Integer(kernels::day_of_days(days));
  }
}

// Operations that are null when any operand is.
Outcome EvaluateStrict(const Expression& expression, const Value& left, const Value& right) {
  switch (expression.op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
    case Op::kNegate:
      return EvaluateArithmetic(expression, left, right);
    case Op::kNot:
      return Bool(!IsTrue(left));
    case Op::kLike:
    case Op::kStartsWith:
    case Op::kEndsWith:
    case Op::kContains:
      return Bool(TestText(expression, left, right));
    case Op::kCast:
      return EvaluateCast(expression, left);
    case Op::kYear:
    case Op::kMonth:
    case Op::kDay:
      return DatePart(expression, left);
    default:
      return Bool(Holds(expression.op, CompareValues(expression.arg(0).type, left, right)));
  }
}

Outcome EvaluateOperands(const Expression& expression, Row row) {
  SVM_ASSIGN_OR_RETURN(const Value left, Evaluate(expression.arg(0), row));
  Value right = Value::Integer(0);
  if (expression.args.size() > 1) {
    SVM_ASSIGN_OR_RETURN(right, Evaluate(expression.arg(1), row));
  }
  switch (expression.op) {
    case Op::kIsNull:
      return Bool(left.is_null);
    case Op::kIsNotNull:
      return Bool(!left.is_null);
    case Op::kEqualNullSafe:
      return NullSafeEqual(expression.arg(0).type, left, right);
    default:
      if (left.is_null || right.is_null) return Value::Null();
      return EvaluateStrict(expression, left, right);
  }
}

}  // namespace

kernels::Text TextOf(const Value& value) {
  return kernels::make_text(value.text.data(), static_cast<unsigned>(value.text.size()));
}

int CompareValues(Type type, const Value& left, const Value& right) {
  if (type.is_text()) return kernels::text_compare(TextOf(left), TextOf(right));
  if (type.is_float()) return kernels::float_compare(left.number, right.number);
  return left.integer < right.integer ? -1 : left.integer > right.integer ? 1 : 0;
}

base::Result<Value> Evaluate(const Expression& expression, Row row) {
  switch (expression.op) {
    case Op::kColumn:
      return row[expression.column];
    case Op::kLiteral:
      return expression.literal;
    case Op::kAnd:
    case Op::kOr:
      return EvaluateLogic(expression, row);
    case Op::kCase:
      return EvaluateCase(expression, row);
    case Op::kCoalesce:
      return EvaluateCoalesce(expression, row);
    case Op::kIn:
      return EvaluateIn(expression, row);
    case Op::kSubstring:
      return EvaluateSubstring(expression, row);
    default:
      return EvaluateOperands(expression, row);
  }
}

base::Status EvaluateOverDictionary(const Expression& predicate, int column,
                                    const columns::Dictionary& dictionary, uint32_t begin,
                                    uint32_t end, uint8_t* pass) {
  std::vector<Value> row(column + 1);
  for (uint32_t code = begin; code < end; ++code) {
    row[column] = Value::Text(std::string(dictionary.at(code)));
    SVM_ASSIGN_OR_RETURN(const Value result, Evaluate(predicate, row));
    pass[code] = IsTrue(result);
  }
  return base::Status::OK();
}

}  // namespace shadowvm::exec
