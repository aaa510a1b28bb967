// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <CLI/CLI.hpp>

#include "engine/cli/node/node_command.h"

namespace shadowvm::cli {

void AddNodeCommand(CLI::App* app, base::Status* status) {
  CLI::App* node =
      app->add_subcommand("node", "Not in this build: it was made without Arrow Flight");
  node->allow_extras();
  node->callback([status] {
    *status = base::MakeError(base::ErrorCode::kUnsupported,
                              "this program was built without Arrow Flight, so it has no node");
  });
}

}  // namespace shadowvm::cli
