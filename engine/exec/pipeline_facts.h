// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

#include "engine/exec/kernel_binding.h"
#include "engine/exec/query_context.h"
#include "engine/schedule/device_choice.h"

namespace shadowvm::exec {

// What there is to know of a pipeline before it is decided where it runs, but for what is
// remembered of its kernel. Looks at a few of its segments, and reads none.
schedule::PipelineFacts FactsOf(const QueryContext& context, const PipelineBinding& binding,
                                std::string why_not_gpu);

}  // namespace shadowvm::exec
