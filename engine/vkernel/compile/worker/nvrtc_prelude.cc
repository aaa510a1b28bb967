// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/nvrtc_prelude.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace shadowvm::vkernel {
namespace {

// Quick code needs nothing of CUDA's run-time functions, and a compiler that precompiles can leave
// their declarations out.
std::vector<std::string> PrecompiledFlags(const std::string& architecture,
                                          const std::string& precompiled) {
  std::vector<std::string> flags = NvrtcFlags(architecture, /*quick=*/true);
  flags.insert(flags.end(), {"--minimal", precompiled, "--pch-messages=false"});
  return flags;
}

constexpr char kFolder[] = "shadowvm-prelude-";
// No worker takes as long to make its file.
constexpr std::chrono::minutes kLongAgo{10};

// A worker that is killed while it starts leaves its folder. Those of others cannot be removed, and
// what is removed by two at a time is gone.
void RemoveLeftOver(const std::filesystem::path& temporary) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& entry : fs::directory_iterator(temporary, ignored)) {
    if (!entry.path().filename().string().starts_with(kFolder)) continue;
    const auto changed = entry.last_write_time(ignored);
    if (!ignored && now - changed > kLongAgo) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

NvrtcPrelude::NvrtcPrelude(const NvrtcApi& api, const std::string& architecture,
                           const std::vector<NvrtcHeader>& headers, const std::string& path)
    : architecture_(architecture) {
  if (path.empty()) return;
  include_ = "#include \"" + path + "\"\n";
  const std::string empty = include_ + "SVM_KERNEL(call) {}\n";
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (!error) RemoveLeftOver(temporary);
  std::string folder = temporary / (std::string(kFolder) + "XXXXXX");
  if (!error && ::mkdtemp(folder.data()) != nullptr) {
    const std::string file = folder + "/prelude.pch";
    const auto flags = PrecompiledFlags(architecture, "--create-pch=" + file);
    const bool made = !CompileWithNvrtc(api, headers, empty, flags).cubin.empty();
    if (made) file_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    ::unlink(file.c_str());
    ::rmdir(folder.c_str());
  }
  if (file_ < 0) CompileWithNvrtc(api, headers, empty, NvrtcFlags(architecture, /*quick=*/true));
}

NvrtcPrelude::~NvrtcPrelude() {
  if (file_ >= 0) ::close(file_);
}

std::vector<std::string> NvrtcPrelude::FlagsFor(const std::string& text, bool quick) const {
  // With a text that does not include it NVRTC would look for it in vain, which takes time.
  const bool fits = quick && file_ >= 0 && text.find(include_) != std::string::npos;
  if (!fits) return NvrtcFlags(architecture_, quick);
  return PrecompiledFlags(architecture_, "--use-pch=/proc/self/fd/" + std::to_string(file_));
}

}  // namespace shadowvm::vkernel
