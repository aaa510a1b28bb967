// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "engine/cli/byte_size.h"
#include "engine/cli/doctor/finding.h"
#include "engine/vkernel/compile/clang_compiler.h"
#include "engine/vkernel/compile/disk_cache.h"
#include "engine/vkernel/compile/subprocess_compiler.h"

namespace shadowvm::cli {
namespace {

namespace fs = std::filesystem;

struct FolderSize {
  int64_t files = 0;
  int64_t bytes = 0;
};

FolderSize Measure(const fs::path& folder) {
  FolderSize size;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       !error && entry != fs::end(entry); entry.increment(error)) {
    std::error_code gone;  // another process may drop an entry meanwhile
    if (!entry->is_regular_file(gone)) continue;
    const auto bytes = entry->file_size(gone);
    if (gone) continue;
    ++size.files;
    size.bytes += static_cast<int64_t>(bytes);
  }
  return size;
}

}  // namespace

Finding FindKernelCache() {
  const fs::path folder = vkernel::DefaultCacheDirectory();
  if (folder.empty()) {
    return {"kernel cache", Finding::State::kLimited,
            "none of SHADOWVM_CACHE_DIR, XDG_CACHE_HOME and HOME is set, so kernels are compiled "
            "again after every restart"};
  }
  struct stat info;
  if (::stat(folder.c_str(), &info) != 0) {
    return {"kernel cache", Finding::State::kGood, folder.string() + ": empty, made on first use"};
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    return {"kernel cache", Finding::State::kLimited,
            folder.string() + ": not writable, so kernels are compiled again after every restart"};
  }
  const FolderSize size = Measure(folder);
  return {
      "kernel cache", Finding::State::kGood,
      folder.string() + ": " + std::to_string(size.files) + " files, " + FormatBytes(size.bytes)};
}

Finding FindCompileWorker() {
  const std::string worker = vkernel::FindCompileWorker();
  if (!worker.empty())
    return {"compile worker", Finding::State::kGood, worker + " (Clang as a library)"};
  return {"compile worker", Finding::State::kLimited,
          "shadowvm-compiler is not beside this program (built where Clang 19's libraries are "
          "installed); "
          "kernels are compiled by the compiler program instead, some 100 ms each"};
}

Finding FindCompilerProgram() {
  const std::string compiler = vkernel::FindCompilerProgram();
  if (!compiler.empty()) return {"c++ compiler", Finding::State::kGood, compiler + " (fallback)"};
  return {"c++ compiler", Finding::State::kMissing,
          "no c++, g++ or clang++ in PATH: without the compile worker no kernel can be made"};
}

}  // namespace shadowvm::cli
