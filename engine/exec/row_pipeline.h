// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <vector>

#include "engine/exec/pipeline_output.h"
#include "engine/exec/query_context.h"
#include "engine/plan/pipeline.h"

namespace shadowvm::exec {

// Pipelines that only rearrange the rows of an earlier one (reorder columns, sort, cut, hand on)
// need no kernel: they work on the materialised rows as they are.
bool OnlyRearranges(const plan::Pipeline& pipeline);

// The order that such a pipeline puts rows in, by the columns of the one it starts from; none where
// it does not sort.
std::vector<SortColumn> OrderGivenBy(const plan::Pipeline& pipeline);

// Runs such a pipeline on the output it starts from.
base::Result<PipelineOutput> Rearrange(const QueryContext& context, const plan::Pipeline& pipeline,
                                       const PipelineOutput& input);

}  // namespace shadowvm::exec
