// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/base/status.h"

namespace CLI {
class App;
}

namespace shadowvm::cli {

// Adds "node" to the program; its outcome goes to 'status'. In a build without Arrow Flight the
// command only says so.
void AddNodeCommand(CLI::App* app, base::Status* status);

}  // namespace shadowvm::cli
