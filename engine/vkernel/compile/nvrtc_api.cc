// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/nvrtc_api.h"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::MakeError;

std::vector<std::string> UsualPlaces() {
  const char* set = std::getenv("SHADOWVM_NVRTC");
  if (set != nullptr && *set != '\0') return {set};
  return {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13",
          "/usr/local/cuda/lib64/libnvrtc.so.12"};
}

base::Result<NvrtcApi> Load(const std::string& path) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return MakeError(ErrorCode::kNoCompiler, ::dlerror());
  NvrtcApi api;
  api.path = path;
#define SVM_NVRTC_FIND(member, symbol, parameters)                               \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(library, symbol)); \
  if (api.member == nullptr) return MakeError(ErrorCode::kNoCompiler, path + " has no " symbol);
  SVM_NVRTC_FUNCTIONS(SVM_NVRTC_FIND)
#undef SVM_NVRTC_FIND
  api.GetErrorString =
      reinterpret_cast<decltype(api.GetErrorString)>(::dlsym(library, "nvrtcGetErrorString"));
  int major = 0, minor = 0;
  api.Version(&major, &minor);
  api.version = std::to_string(major) + "." + std::to_string(minor);
  return api;
}

base::Result<NvrtcApi> LoadFirst(const std::vector<std::string>& paths) {
  std::string tried;
  for (const std::string& path : paths) {
    auto api = Load(path);
    if (api.ok()) return api;
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return MakeError(ErrorCode::kNoCompiler, "NVRTC does not load from " + tried +
                                               "; SHADOWVM_NVRTC can name its libnvrtc.so");
}

}  // namespace

base::Result<const NvrtcApi*> NvrtcApi::Get(const std::string& library) {
  static std::mutex mutex;
  static std::map<std::string, base::Result<NvrtcApi>> loaded;
  std::lock_guard lock(mutex);
  auto found = loaded.find(library);
  if (found == loaded.end()) {
    const std::vector<std::string> paths =
        library.empty() ? UsualPlaces() : std::vector<std::string>{library};
    found = loaded.emplace(library, LoadFirst(paths)).first;
  }
  SVM_RETURN_NOT_OK(found->second.status());
  return &*found->second;
}

}  // namespace shadowvm::vkernel
