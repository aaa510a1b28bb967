// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/exec/query_context.h"
#include "engine/exec/sort_keys.h"
#include "engine/exec/state/row_set.h"

namespace shadowvm::exec {

// Rows in the order of a plan's keys, those that it asks for. Cores find the order, or the GPU
// where there is one and it is asked for or predicted to be faster; the order is the same.
// Statistics tell who did it, why, and the predicted and the real time.
base::Result<RowSet> SortRows(const QueryContext& context, const SortPlan& plan, RowSet rows);

}  // namespace shadowvm::exec
