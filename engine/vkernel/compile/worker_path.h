// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>

namespace shadowvm::vkernel {

// A program of ours by its name: beside the running program or the library that holds this code, in
// libexec beside their folder (an installed tree), or where this build installs it. Empty if it is
// nowhere.
std::string FindWorkerProgram(const std::string& name);

}  // namespace shadowvm::vkernel
