// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <string_view>

namespace shadowvm::kernels {

// One of the headers under engine/kernels, as the build found it.
struct EmbeddedHeader {
  std::string_view path;  // as generated code includes it: "engine/kernels/cpu/verbs.h"
  std::string_view text;
};

// Every header that generated code may include, sorted by path.
std::span<const EmbeddedHeader> EmbeddedHeaders();

// SHA-256 in hex over all paths and texts: changes whenever a kernel could.
std::string_view EmbeddedHash();

}  // namespace shadowvm::kernels
