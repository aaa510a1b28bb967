// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <unistd.h>

#include <cstdint>

namespace shadowvm::exec {

// What an engine takes for tables and states together where nobody says otherwise: half of the
// machine's memory.
inline int64_t DefaultMemoryBytes() {
  return static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGE_SIZE) / 2;
}

}  // namespace shadowvm::exec
