// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstddef>
#include <string>

// The functions of NVRTC that we call, found at run time. Names are those of nvrtc.h. Free of Arrow
// (see protocol.h).
namespace shadowvm::vkernel {

using NvrtcResult = int;  // 0: success
inline constexpr NvrtcResult kNvrtcInvalidOption = 5;
inline constexpr NvrtcResult kNvrtcCompilation = 6;
using NvrtcProgram = struct NvrtcProgramTag*;

// SVM_NVRTC(member, symbol, parameters)
#define SVM_NVRTC_FUNCTIONS(SVM_NVRTC)                                                        \
  SVM_NVRTC(Version, "nvrtcVersion", (int*, int*))                                            \
  SVM_NVRTC(                                                                                  \
      CreateProgram, "nvrtcCreateProgram",                                                    \
      (NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  SVM_NVRTC(DestroyProgram, "nvrtcDestroyProgram", (NvrtcProgram*))                           \
  SVM_NVRTC(CompileProgram, "nvrtcCompileProgram", (NvrtcProgram, int, const char* const*))   \
  SVM_NVRTC(GetLogSize, "nvrtcGetProgramLogSize", (NvrtcProgram, size_t*))                    \
  SVM_NVRTC(GetLog, "nvrtcGetProgramLog", (NvrtcProgram, char*))                              \
  SVM_NVRTC(GetCubinSize, "nvrtcGetCUBINSize", (NvrtcProgram, size_t*))                       \
  SVM_NVRTC(GetCubin, "nvrtcGetCUBIN", (NvrtcProgram, char*))

struct NvrtcApi {
#define SVM_NVRTC_MEMBER(member, symbol, parameters) NvrtcResult(*member) parameters = nullptr;
  SVM_NVRTC_FUNCTIONS(SVM_NVRTC_MEMBER)
#undef SVM_NVRTC_MEMBER
  const char* (*GetErrorString)(NvrtcResult) = nullptr;

  std::string path;     // as it was found
  std::string version;  // "13.0"

  // Loads a library file, or with an empty name the first that $SHADOWVM_NVRTC, the loader or
  // CUDA's usual folder has; a loaded library stays loaded. False, with what was tried in *error.
  bool Load(const std::string& library, std::string* error);
};

}  // namespace shadowvm::vkernel
