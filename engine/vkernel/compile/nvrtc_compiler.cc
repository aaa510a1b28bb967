// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/nvrtc_compiler.h"

#include <chrono>
#include <vector>

#include "engine/base/fault.h"
#include "engine/vkernel/compile/nvrtc_api.h"

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::Result;

std::vector<std::string> Flags(const std::string& architecture) {
  return {"--gpu-architecture=" + architecture, "--std=c++20",
          // Row-level functions are the CPU's: they say nothing of where they run.
          "--device-as-default-execution-space", "--device-int128",
          // Rounding must be Spark's: a * b + c is two operations.
          "--fmad=false", "--disable-warnings"};
}

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

  NvrtcResult Compile(const std::string& text, const HeaderSet& headers,
                      const std::vector<std::string>& flags) {
    std::vector<std::string> paths, texts;
    for (const kernels::EmbeddedHeader& header : headers.headers) {
      paths.emplace_back(header.path);
      texts.emplace_back(header.text);
    }
    const NvrtcResult created =
        api_.CreateProgram(&program_, text.c_str(), "kernel.cu", static_cast<int>(paths.size()),
                           Pointers(texts).data(), Pointers(paths).data());
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

Result<std::string> FindNvrtc() {
  SVM_ASSIGN_OR_RETURN(const NvrtcApi* api, NvrtcApi::Get(""));
  return api->path + ", version " + api->version;
}

Result<std::unique_ptr<NvrtcCompiler>> NvrtcCompiler::Create(NvrtcOptions options) {
  SVM_ASSIGN_OR_RETURN(const NvrtcApi* api, NvrtcApi::Get(options.library));
  return std::unique_ptr<NvrtcCompiler>(new NvrtcCompiler(std::move(options), api, api->version));
}

NvrtcCompiler::NvrtcCompiler(NvrtcOptions options, const NvrtcApi* api, std::string version)
    : options_(std::move(options)), api_(api), identity_([&] {
        std::string identity = "nvrtc " + version;
        for (const std::string& flag : Flags(options_.architecture)) identity += " " + flag;
        return identity;
      }()) {}

Result<CompiledObject> NvrtcCompiler::Compile(const CompileRequest& request) {
  SVM_FAULT_POINT("compile.nvrtc");
  if (request.level == OptLevel::kLibrary) {
    return CompileError(ErrorCode::kNoCompiler, request.name,
                        "kernels for a GPU hold their own verbs");
  }
  const auto start = std::chrono::steady_clock::now();
  Compilation compilation(*api_);
  const NvrtcResult result =
      compilation.Compile(request.text, options_.headers, Flags(options_.architecture));
  if (result == kNvrtcCompilation) {
    return CompileError(ErrorCode::kCompileFailed, request.name, compilation.log());
  }
  CompiledObject compiled{compilation.cubin(), compilation.log()};
  if (result != 0 || compiled.bytes.empty()) {
    return CompileError(ErrorCode::kCompilerCrashed, request.name,
                        std::string("NVRTC: ") + api_->GetErrorString(result));
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  compiled.milliseconds = time.count();
  return compiled;
}

}  // namespace shadowvm::vkernel
