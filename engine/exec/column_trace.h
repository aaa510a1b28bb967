// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/plan/pipeline.h"

namespace shadowvm::exec {

// The column of a pipeline's rows at its source that an expression at some step is as it is,
// through maps and through casts that keep every integer; or -1. Step 'step' sees the expression as
// its own node does; step = number of steps means the sink.
int TraceColumn(const plan::Pipeline& pipeline, int num_source_columns, size_t step,
                const plan::Expression& expression);

}  // namespace shadowvm::exec
