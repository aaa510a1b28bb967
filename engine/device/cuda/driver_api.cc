// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/cuda/driver_api.h"

#include <dlfcn.h>

#include <mutex>
#include <string>

namespace shadowvm::device::cuda {
namespace {

using base::ErrorCode;
using base::MakeError;

constexpr char kLibrary[] = "libcuda.so.1";

base::Result<DriverApi> Load() {
  void* library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     std::string("no NVIDIA driver: ") + kLibrary +
                         " does not load; install the driver, or give the container the GPU");
  }
  DriverApi api;
#define SVM_CUDA_FIND(member, symbol, parameters)                                             \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(library, symbol));              \
  if (api.member == nullptr) {                                                                \
    ::dlclose(library);                                                                       \
    return MakeError(ErrorCode::kUnsupported,                                                 \
                     "the NVIDIA driver is too old, install a newer one: it has no " symbol); \
  }
  SVM_CUDA_FUNCTIONS(SVM_CUDA_FIND)
#undef SVM_CUDA_FIND
  const Result started = api.Init(0);
  if (started != kSuccess) {
    return MakeError(ErrorCode::kUnsupported,
                     "the NVIDIA driver does not start (nvidia-smi may say more): " +
                         api.Check(started, "cuInit").message());
  }
  return api;
}

// What is not the device's fault has codes of its own (Accelerator).
ErrorCode CodeOf(Result result) {
  switch (result) {
    case kErrorOutOfMemory:
      return ErrorCode::kOutOfMemory;
    case kErrorNoBinary:
    case kErrorInvalidImage:
    case kErrorNotFound:
    case kErrorLaunchResources:
      return ErrorCode::kKernelLoad;
    default:
      return ErrorCode::kInternal;
  }
}

}  // namespace

base::Result<const DriverApi*> DriverApi::Get() {
  static std::mutex mutex;
  static const DriverApi* loaded = nullptr;  // never goes: others may call it at the program's end
  std::lock_guard lock(mutex);
  if (loaded == nullptr) {
    SVM_ASSIGN_OR_RETURN(const DriverApi api, Load());
    loaded = new DriverApi(api);
  }
  return loaded;
}

base::Status DriverApi::Check(Result result, const char* call) const {
  if (result == kSuccess) return base::Status::OK();
  const char* words = nullptr;
  GetErrorString(result, &words);
  return MakeError(
      CodeOf(result),
      std::string(call) + ": " + (words != nullptr ? words : "error " + std::to_string(result)));
}

}  // namespace shadowvm::device::cuda
