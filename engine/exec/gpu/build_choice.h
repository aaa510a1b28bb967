// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <string>

#include "engine/exec/gpu/gpu.h"
#include "engine/exec/source_view.h"
#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::exec {

// Whether the device has copies of these columns of a table, all of its segments.
bool IsOnDevice(Gpu* gpu, columns::TableSource* table, std::span<const int> ordinals);

// Why the rows of a join's build side are not worth a launch; empty: they are. Rows that a GPU
// packs come back to the host, which makes the join's table of them: of few rows, or of columns
// that have yet to cross the link, the CPU makes it sooner.
std::string WhyNotBuildOnGpu(Gpu* gpu, const SourceView& source,
                             const vkernel::Blueprint& blueprint);

}  // namespace shadowvm::exec
