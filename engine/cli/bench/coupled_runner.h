// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/cli/bench/query_runner.h"

namespace shadowvm::cli {

// The benchmark's queries as an engine runs them that has a GPU for the length of a query only,
// beside rows that belong to somebody else: every run converts the columns it reads from Arrow's
// form, opens the GPU (its context), allocates, copies, and gives all of it up at the end. Kernels
// stay compiled. What the GPU's share of such a run is, against that of a node, is the point.
base::Result<std::unique_ptr<QueryRunner>> MakeCoupledRunner(const BenchSettings& settings);

}  // namespace shadowvm::cli
