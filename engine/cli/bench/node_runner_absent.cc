// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/node_runner.h"

namespace shadowvm::cli {

base::Result<std::unique_ptr<QueryRunner>> MakeNodeRunner(const BenchSettings&) {
  return base::MakeError(base::ErrorCode::kUnsupported,
                         "this program was built without Arrow Flight, so it reaches no node");
}

}  // namespace shadowvm::cli
