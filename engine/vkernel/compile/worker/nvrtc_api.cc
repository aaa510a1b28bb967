// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/worker/nvrtc_api.h"

#include <dlfcn.h>

#include <climits>
#include <cstdlib>
#include <vector>

namespace shadowvm::vkernel {
namespace {

std::vector<std::string> UsualPlaces() {
  const char* set = std::getenv("SHADOWVM_NVRTC");
  if (set != nullptr && *set != '\0') return {set};
  return {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13",
          "/usr/local/cuda/lib64/libnvrtc.so.12"};
}

// Null, or the name of the first function that the library lacks.
const char* FindFunctions(void* library, NvrtcApi* api) {
#define SVM_NVRTC_FIND(member, symbol, parameters)                                 \
  api->member = reinterpret_cast<decltype(api->member)>(::dlsym(library, symbol)); \
  if (api->member == nullptr) return symbol;
  SVM_NVRTC_FUNCTIONS(SVM_NVRTC_FIND)
#undef SVM_NVRTC_FIND
  api->GetErrorString =
      reinterpret_cast<decltype(api->GetErrorString)>(::dlsym(library, "nvrtcGetErrorString"));
  return api->GetErrorString == nullptr ? "nvrtcGetErrorString" : nullptr;
}

// A library of its own that NVRTC loads by name, which finds it beside itself only from some
// version on, or if it is loaded already. What is missing NVRTC says when it compiles.
void LoadBuiltins(void* library, const std::string& version) {
  char folder[PATH_MAX];
  if (::dlinfo(library, RTLD_DI_ORIGIN, folder) != 0) return;
  const std::string path = std::string(folder) + "/libnvrtc-builtins.so." + version;
  static_cast<void>(::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL));
}

}  // namespace

bool NvrtcApi::Load(const std::string& library, std::string* error) {
  std::string tried;
  for (const std::string& place : library.empty() ? UsualPlaces() : std::vector{library}) {
    tried += (tried.empty() ? "" : ", ") + place;
    void* const loaded = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (loaded == nullptr) continue;
    if (const char* missing = FindFunctions(loaded, this)) {
      tried += std::string(" (too old: it has no ") + missing + ")";
      continue;
    }
    int major = 0, minor = 0;
    Version(&major, &minor);
    version = std::to_string(major) + "." + std::to_string(minor);
    path = place;
    LoadBuiltins(loaded, version);
    return true;
  }
  *error = "NVRTC does not load from " + tried + "; SHADOWVM_NVRTC can name its libnvrtc.so";
  return false;
}

}  // namespace shadowvm::vkernel
