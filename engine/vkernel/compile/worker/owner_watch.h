// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <unistd.h>

namespace shadowvm::vkernel {

// Where a compile worker's owner speaks to it.
inline constexpr int kOwnerSocket = STDIN_FILENO;

// Ends the process once the owner's end of the socket is closed, even in the middle of a compile.
void EndWithOwner();

// A crash is reported by the owner; a core file of a compiler helps nobody.
void LeaveNoCore();

}  // namespace shadowvm::vkernel
