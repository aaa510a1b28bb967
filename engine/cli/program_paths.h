// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <filesystem>
#include <optional>

namespace shadowvm::cli {

// $SHADOWVM_CACHE_DIR, else shadowvm/kernels in $XDG_CACHE_HOME or ~/.cache.
std::filesystem::path KernelCacheFolder();

// The program shadowvm-compiler beside this one, or in ../libexec of an installation.
std::optional<std::filesystem::path> CompileWorkerPath();

}  // namespace shadowvm::cli
