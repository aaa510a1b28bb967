// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/exec/interpret/interpreter.h"

// What the interpreter is made of: operations on values that are there (not null).
namespace shadowvm::exec {

// Where an operation has no result: the error under ANSI, else null.
base::Result<Value> Missing(const plan::Expression& expression, base::ErrorCode error);

// kAdd … kNegate. 'right' is not looked at for kNegate.
base::Result<Value> EvaluateArithmetic(const plan::Expression& expression, const Value& left,
                                       const Value& right);

base::Result<Value> EvaluateCast(const plan::Expression& expression, const Value& value);

// < 0, 0 or > 0 by Spark's order of the type.
int CompareValues(columns::Type type, const Value& left, const Value& right);

kernels::Text TextOf(const Value& value);

}  // namespace shadowvm::exec
