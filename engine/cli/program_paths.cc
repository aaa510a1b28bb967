// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/program_paths.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace shadowvm::cli {
namespace {

namespace fs = std::filesystem;

const char* NonEmpty(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

fs::path KernelCacheFolder() {
  if (const char* folder = NonEmpty("SHADOWVM_CACHE_DIR")) return folder;
  if (const char* cache = NonEmpty("XDG_CACHE_HOME"))
    return fs::path(cache) / "shadowvm" / "kernels";
  if (const char* home = NonEmpty("HOME"))
    return fs::path(home) / ".cache" / "shadowvm" / "kernels";
  return fs::temp_directory_path() / ("shadowvm-" + std::to_string(::getuid()));
}

std::optional<fs::path> CompileWorkerPath() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return std::nullopt;
  for (const fs::path& candidate :
       {folder / "shadowvm-compiler", folder / "../libexec/shadowvm-compiler"}) {
    if (::access(candidate.c_str(), X_OK) == 0) return candidate.lexically_normal();
  }
  return std::nullopt;
}

}  // namespace shadowvm::cli
