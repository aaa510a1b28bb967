// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <optional>

#include "engine/columns/type.h"
#include "engine/plan/expression.h"

// Spark's rules on types alone; typing.h applies them to expressions.
namespace shadowvm::plan {

inline constexpr int kMaxPrecision = 38;

bool IsNumeric(columns::Type type);

// The decimal that holds every value of an integer type: int32 is decimal(10,0).
columns::Type DecimalOf(columns::Type integer);

// The type two numbers meet in, for comparison, choice and non-decimal arithmetic. Nothing: not
// both numbers. A decimal and a float meet in double; an integer and a float in float, under ANSI
// in double.
std::optional<columns::Type> CommonNumber(columns::Type left, columns::Type right, bool ansi);
// As above, and dates with timestamps.
std::optional<columns::Type> CommonType(columns::Type left, columns::Type right, bool ansi);

// The result of an arithmetic operation on two decimals. Beyond 38 digits: with 'allow_loss' the
// scale gives way (down to 6), else precision and scale are capped.
columns::Type DecimalResult(Op op, columns::Type left, columns::Type right, bool allow_loss);
// The decimal both sides of add, subtract and modulo are brought to; its scale is the larger one.
columns::Type DecimalOperand(columns::Type left, columns::Type right);

// Spark permits the cast at all.
bool CanCast(columns::Type from, columns::Type to);
// Every value of 'from' has exactly one in 'to': such a cast never fails, rounds or gives null.
bool IsLossless(columns::Type from, columns::Type to);
// The cast has values it has no result for in legacy mode (it gives null; integers wrap instead).
bool LegacyCastCanGiveNull(columns::Type from, columns::Type to);

// The node itself (not its arguments) has inputs without a result: overflow, division by zero, a
// bad cast.
bool CanFail(const Expression& node);

}  // namespace shadowvm::plan
