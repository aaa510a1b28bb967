// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/vkernel/compile/worker/nvrtc_compile.h"

namespace shadowvm::vkernel {

// The header that texts include first, parsed once for all quick code of a process. NVRTC can do
// that from 12.8 on, and only by way of a file, in TMPDIR: once made it has no name, and is gone
// with the process. A worker that is killed before leaves it to the next one to be removed.
// Full code, which takes many times as long to compile, does without.
class NvrtcPrelude {
 public:
  // Compiles an empty kernel in any case: NVRTC's first compile loads and sets up what later ones
  // find. An empty path: nothing is compiled. What fails is left to the texts that are asked for.
  NvrtcPrelude(const NvrtcApi& api, const std::string& architecture,
               const std::vector<NvrtcHeader>& headers, const std::string& path);
  ~NvrtcPrelude();
  NvrtcPrelude(const NvrtcPrelude&) = delete;
  NvrtcPrelude& operator=(const NvrtcPrelude&) = delete;

  // What NVRTC is told for such a text.
  std::vector<std::string> FlagsFor(const std::string& text, bool quick) const;

 private:
  const std::string architecture_;
  std::string include_;  // the line that is the first of texts, but for comments
  int file_ = -1;        // -1: there is none
};

}  // namespace shadowvm::vkernel
