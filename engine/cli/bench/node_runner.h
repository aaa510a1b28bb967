// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/cli/bench/query_runner.h"

namespace shadowvm::cli {

// The benchmark's queries as a client of a node asks them: the times are those of the client, over
// the socket and back. The node is the one at settings.connect, or one that this process starts for
// itself.
base::Result<std::unique_ptr<QueryRunner>> MakeNodeRunner(const BenchSettings& settings);

}  // namespace shadowvm::cli
