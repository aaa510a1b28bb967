// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <filesystem>

#include "engine/base/status.h"
#include "shadowvm/v1/command.pb.h"

namespace shadowvm::cli {

// A command from a file: protobuf JSON where the name ends in .json, binary protobuf otherwise.
base::Result<v1::Command> ReadCommandFile(const std::filesystem::path& path);

// Puts 'root' before every relative path that a scan of the command reads. Sinks are left alone:
// what is written lies where the command says.
void ReadFrom(const std::filesystem::path& root, v1::Command* command);

}  // namespace shadowvm::cli
