// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker_path.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

#include "engine/vkernel/compile/clang_compiler.h"

namespace shadowvm::vkernel {
namespace {

namespace fs = std::filesystem;

std::string IfExecutable(const fs::path& path) {
  return ::access(path.c_str(), X_OK) == 0 ? path.string() : std::string();
}

// In the folder of a file, or in libexec beside that folder.
std::string NextTo(const fs::path& file, const std::string& name) {
  const fs::path folder = file.parent_path();
  const std::string beside = IfExecutable(folder / name);
  return beside.empty() ? IfExecutable(folder.parent_path() / "libexec" / name) : beside;
}

// The file this code was loaded from: the program, or a shared library with the engine in it.
fs::path OwnFile() {
  Dl_info info;
  if (::dladdr(reinterpret_cast<const void*>(&OwnFile), &info) == 0) return {};
  std::error_code ignored;
  return fs::canonical(info.dli_fname, ignored);
}

}  // namespace

std::string FindWorkerProgram(const std::string& name) {
  std::error_code ignored;
  for (const fs::path& file : {fs::read_symlink("/proc/self/exe", ignored), OwnFile()}) {
    const std::string found = file.empty() ? "" : NextTo(file, name);
    if (!found.empty()) return found;
  }
  return IfExecutable(fs::path(SHADOWVM_INSTALLED_LIBEXEC) / name);
}

std::string FindCompileWorker() { return FindWorkerProgram("shadowvm-compiler"); }

}  // namespace shadowvm::vkernel
