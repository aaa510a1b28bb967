// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/nvrtc_compile.h"

namespace shadowvm::vkernel {
namespace {

std::vector<const char*> Pointers(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return pointers;
}

// A program and what came of compiling it.
class Compilation {
 public:
  explicit Compilation(const NvrtcApi& api) : api_(api) {}
  ~Compilation() {
    if (program_ != nullptr) api_.DestroyProgram(&program_);
  }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  NvrtcResult Compile(const std::string& text, const std::vector<NvrtcHeader>& headers,
                      const std::vector<std::string>& flags) {
    std::vector<const char*> paths, texts;
    for (const NvrtcHeader& header : headers) {
      paths.push_back(header.path.c_str());
      texts.push_back(header.text.c_str());
    }
    const NvrtcResult created =
        api_.CreateProgram(&program_, text.c_str(), "kernel.cu", static_cast<int>(paths.size()),
                           texts.data(), paths.data());
    if (created != 0) return created;
    return api_.CompileProgram(program_, static_cast<int>(flags.size()), Pointers(flags).data());
  }

  std::string log() const { return Take(api_.GetLogSize, api_.GetLog); }
  std::string cubin() const { return Take(api_.GetCubinSize, api_.GetCubin); }

 private:
  template <typename Size, typename Get>
  std::string Take(const Size& size, const Get& get) const {
    size_t bytes = 0;
    if (program_ == nullptr || size(program_, &bytes) != 0) return "";
    std::string taken(bytes, '\0');
    return get(program_, taken.data()) == 0 ? taken : "";
  }

  const NvrtcApi& api_;
  NvrtcProgram program_ = nullptr;
};

}  // namespace

std::vector<std::string> NvrtcFlags(const std::string& architecture, bool quick) {
  std::vector<std::string> flags = {
      "--gpu-architecture=" + architecture, "--std=c++20",
      // Row-level functions are the CPU's: they say nothing of where they run.
      "--device-as-default-execution-space", "--device-int128",
      // Rounding must be Spark's: a * b + c is two operations.
      "--fmad=false", "--disable-warnings"};
  // Not a flag that asks for less optimisation: those outlast their compile in NVRTC's process, and
  // change what comes after.
  if (quick) flags.push_back("--define-macro=SVM_QUICK");
  return flags;
}

NvrtcOutcome CompileWithNvrtc(const NvrtcApi& api, const std::vector<NvrtcHeader>& headers,
                              const std::string& text, const std::vector<std::string>& flags) {
  Compilation compilation(api);
  const NvrtcResult result = compilation.Compile(text, headers, flags);
  if (result == kNvrtcCompilation) return {"", compilation.log()};
  if (result != 0) {
    return {"", std::string("NVRTC: ") + api.GetErrorString(result), result == kNvrtcInvalidOption};
  }
  NvrtcOutcome made{compilation.cubin(), compilation.log()};
  if (made.cubin.empty()) made.log = "NVRTC made no cubin for " + flags.front();
  return made;
}

}  // namespace shadowvm::vkernel
