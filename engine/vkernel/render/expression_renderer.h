// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

#include "engine/vkernel/blueprint/blueprint.h"
#include "engine/vkernel/render/arguments.h"
#include "engine/vkernel/render/text_builder.h"

namespace shadowvm::vkernel {

// A value in generated text: an expression without side effects, and whether it is null (empty:
// never).
struct Value {
  std::string text;
  std::string null;

  bool nullable() const { return !null.empty(); }
};

// Renders expressions in place, inside a loop over rows. Pure operations become nested expressions;
// operations that can lack a result and branches become statements with named temporaries, so that
// what a branch guards is evaluated only where the branch is taken.
class ExpressionRenderer {
 public:
  ExpressionRenderer(const Blueprint& blueprint, Arguments* arguments, TextBuilder* out)
      : blueprint_(blueprint), arguments_(*arguments), out_(*out) {}

  Value Render(const plan::Expression& expression);
  // The value as a condition: true and not null.
  std::string RenderCondition(const plan::Expression& expression);

 private:
  Value RenderInput(int ordinal);
  Value RenderLiteral(const plan::Expression& expression);
  Value RenderArithmetic(const plan::Expression& expression);
  Value RenderDecimal(const plan::Expression& expression);
  Value RenderComparison(const plan::Expression& expression);
  Value RenderNullSafeEqual(const plan::Expression& expression);
  Value RenderLogic(const plan::Expression& expression);
  Value RenderNot(const plan::Expression& expression);
  Value RenderNullTest(const plan::Expression& expression);
  Value RenderCase(const plan::Expression& expression);
  void RenderBranches(const plan::Expression& expression, size_t branch, const Value& result);
  Value RenderCoalesce(const plan::Expression& expression);
  void RenderChoices(const plan::Expression& expression, size_t choice, const Value& result);
  Value RenderIn(const plan::Expression& expression);
  Value RenderWideIn(const plan::Expression& expression, const Value& value, bool any_null);
  Value RenderTextTest(const plan::Expression& expression);
  Value RenderSubstring(const plan::Expression& expression);
  Value RenderDatePart(const plan::Expression& expression);
  Value RenderCast(const plan::Expression& expression);
  Value CastToDecimal(const plan::Expression& expression, const Value& value);
  Value CastToFloat(const plan::Expression& expression, const Value& value);
  Value CastToInteger(const plan::Expression& expression, const Value& value);
  Value CastToTime(const plan::Expression& expression, const Value& value);

  // A call that can lack a result: "function(args…, &result)" gives false then. Declares the
  // result.
  Value RenderFallible(const plan::Expression& expression, const std::string& call_text,
                       const std::string& null, const std::string& error);
  // Declares a result that statements will set; at first it is zero and not null, or 'first'.
  Value DeclareResult(columns::Type type, bool nullable);
  Value DeclareResult(columns::Type type, bool nullable, const Value& first);
  // Sets a result that is not null so far.
  void Assign(const Value& result, const Value& value);
  int LiteralSlot(const plan::Expression& expression);
  std::string Temporary(const char* stem);

  const Blueprint& blueprint_;
  Arguments& arguments_;
  TextBuilder& out_;
  int next_temporary_ = 0;
};

// "i64" and its like: what a class is called in kernel text.
const char* NameOf(ValueClass value_class);
// "i32" and its like: the natural width of a framed type, and i128, float, double, Text.
const char* StorageName(columns::Type type);
// "a || b", with empty parts left out.
std::string Either(const std::string& a, const std::string& b);

// Brackets only where they are needed. An atom has no operator outside its brackets but a leading
// one; generated text has blanks around operators, and around nothing else but commas.
bool IsAtom(const std::string& text);
// The text as an atom.
std::string Enclosed(const std::string& text);
// "!text"; the negation of "!text" is "text".
std::string Not(const std::string& text);
// Without the brackets around the whole.
std::string Bare(const std::string& text);

}  // namespace shadowvm::vkernel
