// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/columns/type.h"

namespace shadowvm::plan {

enum class Op : uint8_t {
#define SVM_OPERATION(op, name, least, most, rule, meaning) op,
#include "engine/plan/operation_table.inc"
#undef SVM_OPERATION
};

// What an operation does where it has no result: overflow, division by zero, a value that does not
// fit.
enum class EvalMode : uint8_t {
  kLegacy,  // integers wrap; decimals, division and casts from text give null
  kAnsi,    // the query fails with the operation's error
  kTry,     // null
};

struct OperationInfo {
  std::string_view name;
  int least_args;
  int most_args;  // -1: any number
  std::string_view meaning;
};
const OperationInfo& InfoOf(Op op);

// A constant; which member holds it follows from the type beside it.
struct Literal {
  bool is_null = true;
  __int128 integer = 0;  // bools (0, 1), integers, dates, timestamps, unscaled decimals
  double number = 0;     // floats and doubles
  std::string text;      // strings and binaries

  static Literal Null() { return {}; }
  static Literal Integer(__int128 value) { return {false, value, 0, {}}; }
  static Literal Number(double value) { return {false, 0, value, {}}; }
  static Literal Text(std::string value) { return {false, 0, 0, std::move(value)}; }
  int64_t int64() const { return static_cast<int64_t>(integer); }
  // Numbers by their bits: NaN is itself, and 0.0 is not -0.0.
  bool operator==(const Literal& other) const;
};

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

// A typed expression over the columns of one input. Immutable and shared; built by the functions
// below and by typing.h, which see to these shapes:
// - Operands have exactly the types the operation wants; conversions are kCast nodes. The one
// exception: decimal
//   kMultiply and kDivide take operands of different precision and scale, and give 'type' after one
//   rounding (HALF_UP).
// - kCase: when, then, when, then, …, else; always odd, every then and the else of type 'type'.
// - kIn: value, then kLiteral items of its type, at least one; items may be null.
// - kLike, kStartsWith, kEndsWith, kContains: value, pattern. The pattern of kLike is a kLiteral,
// 'escape' its
//   escape character; patterns that need no matcher have become kEqual, kStartsWith, kEndsWith or
//   kContains.
// - kSubstring: text, first character, number of characters; the latter two are int32.
// - kAnd, kOr: two operands; conditions of filters are split at kAnd already.
// 'nullable' false is a promise that no row gives null.
struct Expression {
  Op op = Op::kLiteral;
  EvalMode mode = EvalMode::kLegacy;
  columns::Type type;
  bool nullable = true;
  int column = -1;  // kColumn: ordinal in the input's schema (joins: of the key's own side)
  char32_t escape = 0;
  // Nodes of the tree, shared subtrees counted each time they are met: what a walk over it costs.
  // Saturates.
  uint32_t size = 1;
  std::vector<ExpressionPtr> args;
  Literal literal;  // kLiteral

  bool is_column() const { return op == Op::kColumn; }
  bool is_literal() const { return op == Op::kLiteral; }
  const Expression& arg(int i) const { return *args[i]; }
};

ExpressionPtr MakeColumn(int ordinal, columns::Type type, bool nullable);
ExpressionPtr MakeLiteral(columns::Type type, Literal value);
// A node as it is given; no typing. MakeTyped of typing.h is the checked way.
ExpressionPtr MakeNode(Op op, columns::Type type, bool nullable, std::vector<ExpressionPtr> args,
                       EvalMode mode = EvalMode::kLegacy);

// Equal in every part, columns and literals included.
bool Equals(const Expression& left, const Expression& right);

// Marks used[c] for every column c read. 'used' is as long as the input's schema.
void MarkColumns(const Expression& expression, std::vector<bool>* used);
// The same expression with column c replaced by the column numbers[c]; subtrees without columns are
// shared.
ExpressionPtr Renumber(const ExpressionPtr& expression, const std::vector<int>& numbers);
// The same expression with column c replaced by the expression values[c].
ExpressionPtr Substitute(const ExpressionPtr& expression, const std::vector<ExpressionPtr>& values);
// A conversion between integers that keeps every value: to the same width or a larger one.
bool KeepsEveryInteger(columns::Type from, columns::Type to);
// The expression beneath conversions that keep every integer: what a key or a bound really reads.
const Expression& WithoutWidening(const Expression& expression);

// True when evaluating it can fail the query (kAnsi operations): it must not move before what
// guards it.
bool CanRaise(const Expression& expression);

// "(lo_discount >= 1)": for explain, errors and tests. 'schema' names the columns; null: "#3".
std::string ToString(const Expression& expression, const columns::Schema* schema = nullptr);
std::string ToString(const Literal& literal, columns::Type type);

}  // namespace shadowvm::plan
