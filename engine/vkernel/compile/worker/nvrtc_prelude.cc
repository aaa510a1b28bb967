// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/nvrtc_prelude.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

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

}  // namespace

NvrtcPrelude::NvrtcPrelude(const NvrtcApi& api, const std::string& architecture,
                           const std::vector<NvrtcHeader>& headers, const std::string& path)
    : architecture_(architecture) {
  if (path.empty()) return;
  include_ = "#include \"" + path + "\"\n";
  const std::string empty = include_ + "SVM_KERNEL(call) {}\n";
  char folder[] = "/tmp/shadowvm-prelude-XXXXXX";
  if (::mkdtemp(folder) != nullptr) {
    const std::string file = std::string(folder) + "/prelude.pch";
    const auto flags = PrecompiledFlags(architecture, "--create-pch=" + file);
    const bool made = !CompileWithNvrtc(api, headers, empty, flags).cubin.empty();
    if (made) file_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    ::unlink(file.c_str());
    ::rmdir(folder);
  }
  if (file_ < 0) CompileWithNvrtc(api, headers, empty, NvrtcFlags(architecture, /*quick=*/true));
}

NvrtcPrelude::~NvrtcPrelude() {
  if (file_ >= 0) ::close(file_);
}

std::vector<std::string> NvrtcPrelude::FlagsFor(const std::string& text, bool quick) const {
  // With a text that includes another header first it would look for one in vain, which takes time.
  const bool fits = quick && file_ >= 0 && text.find(include_) != std::string::npos;
  if (!fits) return NvrtcFlags(architecture_, quick);
  return PrecompiledFlags(architecture_, "--use-pch=/proc/self/fd/" + std::to_string(file_));
}

}  // namespace shadowvm::vkernel
