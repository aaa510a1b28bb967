// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/render/expression_renderer.h"

#include <algorithm>

#include "engine/vkernel/blueprint/nullability.h"

namespace shadowvm::vkernel {
namespace {

using plan::EvalMode;
using plan::Expression;
using plan::Op;

std::string Number(int number) { return std::to_string(number); }

const char* ComparisonSign(Op op) {
  switch (op) {
    case Op::kEqual:
      return " == ";
    case Op::kNotEqual:
      return " != ";
    case Op::kLess:
      return " < ";
    case Op::kLessEqual:
      return " <= ";
    case Op::kGreater:
      return " > ";
    default:
      return " >= ";
  }
}

// Floats and strings compare by a three-way function: NaN and bytes have an order of their own.
std::string OrderedComparison(ValueClass operands, Op op, const std::string& left,
                              const std::string& right) {
  const std::string arguments = "(" + left + ", " + right + ")";
  if (operands == ValueClass::kText) {
    if (op == Op::kEqual) return "text_equal" + arguments;
    if (op == Op::kNotEqual) return "!text_equal" + arguments;
    return "(text_compare" + arguments + ComparisonSign(op) + "0)";
  }
  return "(float_compare" + arguments + ComparisonSign(op) + "0)";
}

const char* Zero(ValueClass value_class) {
  switch (value_class) {
    case ValueClass::kBool:
      return "false";
    case ValueClass::kText:
      return "Text{}";
    default:
      return "0";
  }
}

bool ComparesBySign(ValueClass value_class) {
  return value_class == ValueClass::kInt || value_class == ValueClass::kBool ||
         value_class == ValueClass::kWide;
}

}  // namespace

const char* NameOf(ValueClass value_class) {
  switch (value_class) {
    case ValueClass::kBool:
      return "bool";
    case ValueClass::kInt:
      return "i64";
    case ValueClass::kWide:
      return "i128";
    case ValueClass::kFloat:
      return "float";
    case ValueClass::kDouble:
      return "double";
    case ValueClass::kText:
      return "Text";
  }
  return "";
}

const char* StorageName(columns::Type type) {
  using columns::TypeKind;
  switch (type.kind) {
    case TypeKind::kBool:
      return "u8";
    case TypeKind::kInt8:
      return "i8";
    case TypeKind::kInt16:
      return "i16";
    case TypeKind::kInt32:
    case TypeKind::kDate:
      return "i32";
    default:
      return NameOf(ClassOf(type));
  }
}

std::string Either(const std::string& a, const std::string& b) {
  if (a.empty()) return b;
  if (b.empty() || a == b) return a;
  return a + " || " + b;
}

bool IsAtom(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ' ' && depth == 0) return false;
  }
  return true;
}

std::string Enclosed(const std::string& text) { return IsAtom(text) ? text : "(" + text + ")"; }

std::string Not(const std::string& text) {
  if (!IsAtom(text)) return "!(" + text + ")";
  return text.starts_with('!') ? text.substr(1) : "!" + text;
}

std::string Bare(const std::string& text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return text;
  int depth = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return text;
  }
  return text.substr(1, text.size() - 2);
}

std::string ExpressionRenderer::Temporary(const char* stem) {
  return std::string(stem) + "_" + Number(next_temporary_++);
}

std::string ExpressionRenderer::RenderCondition(const Expression& expression) {
  const Value value = Render(expression);
  return value.nullable() ? value.text + " && " + Not(value.null) : Bare(value.text);
}

Value ExpressionRenderer::Render(const Expression& expression) {
  switch (expression.op) {
    case Op::kColumn:
      return RenderInput(expression.column);
    case Op::kLiteral:
      return RenderLiteral(expression);
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
    case Op::kNegate:
      return expression.type.is_decimal() ? RenderDecimal(expression)
                                          : RenderArithmetic(expression);
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return RenderComparison(expression);
    case Op::kEqualNullSafe:
      return RenderNullSafeEqual(expression);
    case Op::kAnd:
    case Op::kOr:
      return RenderLogic(expression);
    case Op::kNot:
      return RenderNot(expression);
    case Op::kIsNull:
    case Op::kIsNotNull:
      return RenderNullTest(expression);
    case Op::kCase:
      return RenderCase(expression);
    case Op::kCoalesce:
      return RenderCoalesce(expression);
    case Op::kIn:
      return RenderIn(expression);
    case Op::kLike:
    case Op::kStartsWith:
    case Op::kEndsWith:
    case Op::kContains:
      return RenderTextTest(expression);
    case Op::kSubstring:
      return RenderSubstring(expression);
    case Op::kCast:
      return RenderCast(expression);
    case Op::kYear:
    case Op::kMonth:
    case Op::kDay:
      return RenderDatePart(expression);
  }
  return {};
}

Value ExpressionRenderer::RenderInput(int ordinal) {
  const Input& input = blueprint_.inputs[ordinal];
  if (input.is_payload) {
    const PayloadColumn& payload = blueprint_.payloads[input.index];
    const std::string row = blueprint_.joins[payload.join].name + "_row";
    Value value{payload.name + "[" + row + "]", ""};
    if (ClassOf(payload.type) == ValueClass::kBool) value.text = "(" + value.text + " != 0)";
    if (payload.nullable) value.null = "!" + payload.name + ".valid(" + row + ")";
    return value;
  }
  const SourceColumn& column = blueprint_.columns[input.index];
  Value value{column.name + "[i]", ""};
  if (ClassOf(column.type) == ValueClass::kBool) value.text = "(" + value.text + " != 0)";
  if (column.layout.nullable) value.null = "!" + column.name + ".valid(i)";
  return value;
}

Value ExpressionRenderer::RenderLiteral(const Expression& expression) {
  const ValueClass value_class = ClassOf(expression.type);
  // Of its type, so that functions of two operands of one type take it.
  if (expression.literal.is_null) return {std::string(NameOf(value_class)) + "{}", "true"};
  const std::string name = "literal_" + Number(LiteralSlot(expression));
  if (value_class == ValueClass::kBool) return {"(" + name + " != 0)", ""};
  if (value_class == ValueClass::kFloat) return {"float(" + name + ")", ""};
  return {name, ""};
}

// An expression that is rendered in several places is one literal: the same node, not merely the
// same value, which the text must not depend on.
int ExpressionRenderer::LiteralSlot(const Expression& expression) {
  std::vector<LiteralArgument>& literals = arguments_.literals;
  const auto known = std::find_if(literals.begin(), literals.end(),
                                  [&](const auto& literal) { return literal.node == &expression; });
  if (known != literals.end()) return static_cast<int>(known - literals.begin());
  literals.push_back({expression.literal, expression.type, &expression});
  return static_cast<int>(literals.size()) - 1;
}

Value ExpressionRenderer::DeclareResult(columns::Type type, bool nullable) {
  return DeclareResult(type, nullable, {Zero(ClassOf(type)), ""});
}

Value ExpressionRenderer::DeclareResult(columns::Type type, bool nullable, const Value& first) {
  Value result{Temporary("value"), ""};
  out_.Line(std::string(NameOf(ClassOf(type))) + " " + result.text + " = " + Bare(first.text) +
            ";");
  if (nullable) {
    result.null = "null" + result.text.substr(5);
    out_.Line("bool " + result.null + " = " + (first.nullable() ? first.null : "false") + ";");
  }
  return result;
}

void ExpressionRenderer::Assign(const Value& result, const Value& value) {
  out_.Line(result.text + " = " + Bare(value.text) + ";");
  if (result.nullable() && value.nullable()) out_.Line(result.null + " = " + value.null + ";");
}

Value ExpressionRenderer::RenderFallible(const Expression& expression, const std::string& call_text,
                                         const std::string& null, const std::string& error) {
  const Value zero{Zero(ClassOf(expression.type)), null};
  if (expression.mode != EvalMode::kAnsi) {
    Value result = DeclareResult(expression.type, false, zero);
    result.null = "null" + result.text.substr(5);
    const std::string missing = "!" + call_text + "&" + result.text + ")";
    out_.Line("const bool " + result.null + " = " + Either(null, missing) + ";");
    return result;
  }
  Value result = DeclareResult(expression.type, true, zero);
  const std::string guard = null.empty() ? "" : "!" + result.null + " && ";
  TextBuilder::Block lacking(&out_, "if (" + guard + "!" + call_text + "&" + result.text + "))");
  out_.Line("raise(call, " + error + ");");
  out_.Line(result.null + " = true;");
  return result;
}

Value ExpressionRenderer::RenderArithmetic(const Expression& expression) {
  const Value left = Render(expression.arg(0));
  const bool integer = expression.type.is_integer();
  if (expression.op == Op::kNegate) {
    if (!integer) return {"(-" + left.text + ")", left.null};
    const std::string width = std::string("<") + StorageName(expression.type) + ">(";
    if (expression.mode == EvalMode::kLegacy)
      return {"wrap_negate" + width + left.text + ")", left.null};
    return RenderFallible(expression, "try_negate" + width + left.text + ", ", left.null,
                          "kErrorOverflow");
  }
  const Value right = Render(expression.arg(1));
  const std::string null = Either(left.null, right.null);
  const std::string operands = left.text + ", " + right.text;
  if (expression.op == Op::kDivide) {
    return RenderFallible(expression, "try_divide(" + operands + ", ", null, "kErrorDivideByZero");
  }
  if (expression.op == Op::kModulo) {
    return RenderFallible(expression, "try_modulo(" + operands + ", ", null, "kErrorDivideByZero");
  }
  if (!integer) {
    const char* sign = expression.op == Op::kAdd        ? " + "
                       : expression.op == Op::kSubtract ? " - "
                                                        : " * ";
    return {"(" + left.text + sign + right.text + ")", null};
  }
  const std::string name = expression.op == Op::kAdd        ? "add<"
                           : expression.op == Op::kSubtract ? "subtract<"
                                                            : "multiply<";
  const std::string call_text = name + StorageName(expression.type) + ">(" + operands;
  if (expression.mode == EvalMode::kLegacy) return {"wrap_" + call_text + ")", null};
  return RenderFallible(expression, "try_" + call_text + ", ", null, "kErrorOverflow");
}

Value ExpressionRenderer::RenderDecimal(const Expression& expression) {
  const columns::Type type = expression.type;
  const Value left = Render(expression.arg(0));
  if (expression.op == Op::kNegate) return {"(-" + left.text + ")", left.null};
  const Value right = Render(expression.arg(1));
  const std::string null = Either(left.null, right.null);
  const std::string operands = left.text + ", " + right.text;
  const std::string precision = ", " + Number(type.precision);
  const std::string result = precision + ", " + Number(type.scale) + ", ";
  const int left_scale = expression.arg(0).type.scale;
  const int right_scale = expression.arg(1).type.scale;
  switch (expression.op) {
    case Op::kMultiply:
      return RenderFallible(
          expression,
          "try_decimal_multiply(" + operands + ", " + Number(left_scale + right_scale) + result,
          null, "kErrorOverflow");
    case Op::kDivide:
      return RenderFallible(expression,
                            "try_decimal_divide(" + left.text + ", " + Number(left_scale) + ", " +
                                right.text + ", " + Number(right_scale) + result,
                            null, right.text + " == 0 ? kErrorDivideByZero : kErrorOverflow");
    case Op::kModulo:
      return RenderFallible(expression, "try_modulo(" + operands + ", ", null,
                            "kErrorDivideByZero");
    default: {
      const char* name = expression.op == Op::kAdd ? "try_decimal_add(" : "try_decimal_subtract(";
      return RenderFallible(expression, name + operands + precision + ", ", null, "kErrorOverflow");
    }
  }
}

Value ExpressionRenderer::RenderComparison(const Expression& expression) {
  const Value left = Render(expression.arg(0));
  const Value right = Render(expression.arg(1));
  const std::string null = Either(left.null, right.null);
  const ValueClass operands = ClassOf(expression.arg(0).type);
  if (ComparesBySign(operands)) {
    return {"(" + left.text + ComparisonSign(expression.op) + right.text + ")", null};
  }
  return {OrderedComparison(operands, expression.op, left.text, right.text), null};
}

Value ExpressionRenderer::RenderNullSafeEqual(const Expression& expression) {
  const Value left = Render(expression.arg(0));
  const Value right = Render(expression.arg(1));
  const std::string same =
      ComparesBySign(ClassOf(expression.arg(0).type))
          ? "(" + left.text + " == " + right.text + ")"
          : OrderedComparison(ClassOf(expression.arg(0).type), Op::kEqual, left.text, right.text);
  if (!left.nullable() && !right.nullable()) return {same, ""};
  if (!left.nullable()) return {"(" + Not(right.null) + " && " + same + ")", ""};
  if (!right.nullable()) return {"(" + Not(left.null) + " && " + same + ")", ""};
  const std::string left_null = Enclosed(left.null);
  return {
      "(" + left_null + " == " + Enclosed(right.null) + " && (" + left_null + " || " + same + "))",
      ""};
}

// Three-valued: the right side is evaluated only where the left one does not decide.
Value ExpressionRenderer::RenderLogic(const Expression& expression) {
  const bool conjunction = expression.op == Op::kAnd;
  const Value left = Render(expression.arg(0));
  const bool may_be_null = left.nullable() || MayBeNull(expression.arg(1), blueprint_);
  const Value result = DeclareResult(expression.type, may_be_null, left);
  // Undecided: not false for AND, not true for OR; null decides nothing.
  const std::string open = conjunction ? result.text : "!" + result.text;
  TextBuilder::Block undecided(&out_,
                               "if (" + (left.nullable() ? Either(result.null, open) : open) + ")");
  const Value right = Render(expression.arg(1));
  if (!left.nullable()) {
    // What is left undecided is what the right side says.
    Assign(result, right);
    return result;
  }
  // The right side's own verdict wins; else null, as the left side was or the right side is.
  const std::string verdict = conjunction ? Not(right.text) : right.text;
  const std::string decided = Temporary("decided");
  out_.Line("const bool " + decided + " = " +
            (right.nullable() ? Not(right.null) + " && " + verdict : Bare(verdict)) + ";");
  const std::string nulls = Either(result.null, right.null);
  out_.Line(result.null + " = !" + decided + " && " + Enclosed(nulls) + ";");
  out_.Line(result.text + " = " + (conjunction ? "!" + decided : decided) + ";");
  return result;
}

Value ExpressionRenderer::RenderNot(const Expression& expression) {
  const Value value = Render(expression.arg(0));
  return {Not(value.text), value.null};
}

Value ExpressionRenderer::RenderNullTest(const Expression& expression) {
  const Value value = Render(expression.arg(0));
  if (expression.op == Op::kIsNull) return {value.nullable() ? Enclosed(value.null) : "false", ""};
  return {value.nullable() ? Not(value.null) : "true", ""};
}

Value ExpressionRenderer::RenderCase(const Expression& expression) {
  const Value result = DeclareResult(expression.type, MayBeNull(expression, blueprint_));
  RenderBranches(expression, 0, result);
  return result;
}

void ExpressionRenderer::RenderBranches(const Expression& expression, size_t branch,
                                        const Value& result) {
  if (branch + 1 == expression.args.size()) {
    Assign(result, Render(expression.arg(branch)));
    return;
  }
  const std::string condition = RenderCondition(expression.arg(branch));
  {
    TextBuilder::Block taken(&out_, "if (" + condition + ")");
    Assign(result, Render(expression.arg(branch + 1)));
  }
  TextBuilder::Block otherwise(&out_, "else");
  RenderBranches(expression, branch + 2, result);
}

Value ExpressionRenderer::RenderCoalesce(const Expression& expression) {
  const Value first = Render(expression.arg(0));
  if (!first.nullable() || expression.args.size() == 1) return first;
  const Value result = DeclareResult(expression.type, true, first);
  RenderChoices(expression, 1, result);
  return MayBeNull(expression, blueprint_) ? result : Value{result.text, ""};
}

void ExpressionRenderer::RenderChoices(const Expression& expression, size_t choice,
                                       const Value& result) {
  TextBuilder::Block missing(&out_, "if (" + result.null + ")");
  const Value value = Render(expression.arg(choice));
  out_.Line(result.text + " = " + Bare(value.text) + ";");
  out_.Line(result.null + " = " + (value.nullable() ? value.null : "false") + ";");
  if (value.nullable() && choice + 1 < expression.args.size()) {
    RenderChoices(expression, choice + 1, result);
  }
}

Value ExpressionRenderer::RenderIn(const Expression& expression) {
  const Value value = Render(expression.arg(0));
  ListArgument list{{}, expression.arg(0).type};
  bool any_null = false;
  for (size_t i = 1; i < expression.args.size(); ++i) {
    const plan::Literal& item = expression.arg(i).literal;
    any_null |= item.is_null;
    if (!item.is_null) list.items.push_back(item);
  }
  if (ClassOf(list.type) == ValueClass::kWide) return RenderWideIn(expression, value, any_null);
  const std::string name = "list_" + Number(static_cast<int>(arguments_.lists.size()));
  arguments_.lists.push_back(std::move(list));
  const std::string found = "list_contains(" + name + ", " + value.text + ")";
  if (!any_null) return {found, value.null};
  const std::string result = Temporary("found");
  out_.Line("const bool " + result + " = " + found + ";");
  return {result, Either(value.null, "!" + result)};
}

// Lists of 128-bit values are rare: each item is a literal of its own.
Value ExpressionRenderer::RenderWideIn(const Expression& expression, const Value& value,
                                       bool any_null) {
  std::string found = "(false";
  for (size_t i = 1; i < expression.args.size(); ++i) {
    if (expression.arg(i).literal.is_null) continue;
    found += " || " + value.text + " == " + RenderLiteral(expression.arg(i)).text;
  }
  found += ")";
  return {found, any_null ? Either(value.null, Not(found)) : value.null};
}

Value ExpressionRenderer::RenderTextTest(const Expression& expression) {
  const Value value = Render(expression.arg(0));
  const Value pattern = Render(expression.arg(1));
  std::string arguments = "(" + value.text + ", " + pattern.text;
  if (expression.op == Op::kLike) arguments += ", " + Number(static_cast<int>(expression.escape));
  const char* name = expression.op == Op::kLike         ? "text_like"
                     : expression.op == Op::kStartsWith ? "text_starts_with"
                     : expression.op == Op::kEndsWith   ? "text_ends_with"
                                                        : "text_contains";
  return {name + arguments + ")", Either(value.null, pattern.null)};
}

Value ExpressionRenderer::RenderSubstring(const Expression& expression) {
  const Value text = Render(expression.arg(0));
  const Value first = Render(expression.arg(1));
  const Value length = Render(expression.arg(2));
  return {"text_substring(" + text.text + ", " + first.text + ", " + length.text + ")",
          Either(Either(text.null, first.null), length.null)};
}

Value ExpressionRenderer::RenderDatePart(const Expression& expression) {
  const Value value = Render(expression.arg(0));
  const char* part = expression.op == Op::kYear    ? "year_of_"
                     : expression.op == Op::kMonth ? "month_of_"
                                                   : "day_of_";
  const bool date = expression.arg(0).type.kind == columns::TypeKind::kDate;
  return {part + std::string(date ? "days(" : "micros(") + value.text + ")", value.null};
}

}  // namespace shadowvm::vkernel
