// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::vkernel {

// False only if no row can give null, judged by the layouts at hand, which know more than a schema:
// a file may declare every column optional and hold no null.
bool MayBeNull(const plan::Expression& expression, const Blueprint& blueprint);

// True when the expression is null or false wherever input 'input' is null, so that rows with a
// null there never pass it as a condition.
bool RejectsNull(const plan::Expression& expression, int input);

// True when the operation can lack a result for non-null operands (overflow, division by zero, a
// failed cast).
bool CanLackResult(const plan::Expression& expression);

}  // namespace shadowvm::vkernel
