// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <span>

#include "engine/base/status.h"
#include "engine/columns/dictionary.h"
#include "engine/plan/expression.h"

// Expressions evaluated one value at a time, with the functions of engine/kernels/common that
// generated code calls: for constants, for predicates over a dictionary, and as the reference that
// generated code is tested against.
namespace shadowvm::exec {

// A value or null; which member holds it follows from the type beside it, as in a literal. Floats
// are in 'number', exactly.
using Value = plan::Literal;

// The value of an expression for a row: row[c] is the value of column c. Branches that are not
// taken are not evaluated. Errors under ANSI: kOverflow, kDivideByZero, kCastOverflow, naming the
// expression. Casts to and from strings are kUnsupported.
base::Result<Value> Evaluate(const plan::Expression& expression, std::span<const Value> row);

// The same expression with every subtree that reads no column replaced by its value. A subtree
// whose evaluation fails stays as it is: it may never be reached.
plan::ExpressionPtr FoldConstants(const plan::ExpressionPtr& expression);

// A predicate that reads one string column only, for the entries [begin, end) of its dictionary:
// pass[code] = 1 where it is true, 0 where it is false or null.
base::Status EvaluateOverDictionary(const plan::Expression& predicate, int column,
                                    const columns::Dictionary& dictionary, uint32_t begin,
                                    uint32_t end, uint8_t* pass);

}  // namespace shadowvm::exec
