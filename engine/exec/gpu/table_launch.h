// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>

#include "engine/exec/gpu/table_build.h"

namespace shadowvm::exec {

// Makes what build sides are asked for, by one launch: each of them would be over before the next
// is begun. Their parts are numbered from 0, modulo kernels::kMostParts, of which a launch has no
// more. On an error none counts, and those at fault know why. In mode gpu it waits for the
// compiler. Fault point exec.gpu.run.
base::Status MakeTables(const QueryContext& context, std::span<TableBuild* const> builds);

}  // namespace shadowvm::exec
