// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <optional>

#include "engine/columns/type.h"
#include "engine/plan/expression.h"

namespace shadowvm::plan {

// A constant in another type, where the conversion is exact: integers and decimals that fit,
// numbers as doubles that hold them, text that is a date ("1994-01-01"). Nothing where a value
// would change or fail: that is left to the evaluator, which has the cast's full meaning. It is
// here, before any evaluator, so that "column >= 1" compares a column with a constant whatever the
// widths.
std::optional<Literal> CastLiteral(const Literal& literal, columns::Type from, columns::Type to);

// The smallest decimal that holds an integer constant: 100 is decimal(3,0).
columns::Type DecimalOf(const Literal& integer);

}  // namespace shadowvm::plan
