// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <filesystem>
#include <string_view>

#include "engine/base/status.h"

namespace shadowvm::node {

// The socket an address names: a path, "unix:PATH" or "grpc+unix://PATH", made absolute.
// kBadAddress for a host and port: a node is reached over a Unix socket only, whose folder says who
// may.
base::Result<std::filesystem::path> SocketPath(std::string_view address);

// Where a node of this user listens when it is told nothing: under XDG_RUNTIME_DIR, which is the
// user's own and in memory, else in a folder of ours in the folder for temporary files.
std::filesystem::path DefaultSocketPath();

}  // namespace shadowvm::node
