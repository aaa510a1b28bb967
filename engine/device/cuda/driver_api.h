// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/base/status.h"

// The few functions of NVIDIA's driver that we call, found at run time: the program builds and runs
// where there is none. Names and numbers are those of cuda.h, whose binary interface is fixed.
namespace shadowvm::device::cuda {

using Result = int;  // 0: success
using Ordinal = int;
using Context = struct ContextTag*;
using Module = struct ModuleTag*;
using Function = struct FunctionTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Address = unsigned long long;

inline constexpr Result kSuccess = 0;
inline constexpr Result kErrorOutOfMemory = 2;
inline constexpr Result kErrorInvalidImage = 200;
inline constexpr Result kErrorNoBinary = 209;  // for this architecture
inline constexpr Result kErrorNotFound = 500;  // a name in a module
inline constexpr Result kErrorNotReady = 600;
inline constexpr Result kErrorLaunchResources = 701;  // the block is too large for the kernel

enum class Attribute : int {
  kMaxBlockThreads = 1,
  kNumProcessors = 16,
  kMajor = 75,
  kMinor = 76,
  kMaxSharedBytes = 97,  // of a block that asks for more than the usual 48 KiB
};
inline constexpr unsigned kHostRegisterDeviceMap = 2;
inline constexpr int kFunctionSharedBytes = 8;  // an attribute of functions
inline constexpr int kLimitFetchBytes = 5;      // what a miss brings into the second-level cache

// SVM_CUDA(member, symbol, parameters)
#define SVM_CUDA_FUNCTIONS(SVM_CUDA)                                                          \
  SVM_CUDA(Init, "cuInit", (unsigned))                                                        \
  SVM_CUDA(DriverGetVersion, "cuDriverGetVersion", (int*))                                    \
  SVM_CUDA(GetErrorString, "cuGetErrorString", (Result, const char**))                        \
  SVM_CUDA(DeviceGetCount, "cuDeviceGetCount", (int*))                                        \
  SVM_CUDA(DeviceGet, "cuDeviceGet", (Ordinal*, int))                                         \
  SVM_CUDA(DeviceGetName, "cuDeviceGetName", (char*, int, Ordinal))                           \
  SVM_CUDA(DeviceGetAttribute, "cuDeviceGetAttribute", (int*, Attribute, Ordinal))            \
  SVM_CUDA(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t*, Ordinal))                         \
  SVM_CUDA(DeviceGetPciBusId, "cuDeviceGetPCIBusId", (char*, int, Ordinal))                   \
  SVM_CUDA(PrimaryContextRetain, "cuDevicePrimaryCtxRetain", (Context*, Ordinal))             \
  SVM_CUDA(PrimaryContextRelease, "cuDevicePrimaryCtxRelease_v2", (Ordinal))                  \
  SVM_CUDA(ContextSetCurrent, "cuCtxSetCurrent", (Context))                                   \
  SVM_CUDA(ContextSetLimit, "cuCtxSetLimit", (int, size_t))                                   \
  SVM_CUDA(MemoryAllocate, "cuMemAlloc_v2", (Address*, size_t))                               \
  SVM_CUDA(MemoryFree, "cuMemFree_v2", (Address))                                             \
  SVM_CUDA(CopyIn, "cuMemcpyHtoDAsync_v2", (Address, const void*, size_t, Stream))            \
  SVM_CUDA(CopyOut, "cuMemcpyDtoHAsync_v2", (void*, Address, size_t, Stream))                 \
  SVM_CUDA(Fill, "cuMemsetD8Async", (Address, unsigned char, size_t, Stream))                 \
  SVM_CUDA(HostAllocate, "cuMemHostAlloc", (void**, size_t, unsigned))                        \
  SVM_CUDA(HostFree, "cuMemFreeHost", (void*))                                                \
  SVM_CUDA(HostRegister, "cuMemHostRegister_v2", (void*, size_t, unsigned))                   \
  SVM_CUDA(HostUnregister, "cuMemHostUnregister", (void*))                                    \
  SVM_CUDA(HostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (Address*, void*, unsigned)) \
  SVM_CUDA(StreamCreate, "cuStreamCreate", (Stream*, unsigned))                               \
  SVM_CUDA(StreamDestroy, "cuStreamDestroy_v2", (Stream))                                     \
  SVM_CUDA(StreamQuery, "cuStreamQuery", (Stream))                                            \
  SVM_CUDA(StreamSynchronize, "cuStreamSynchronize", (Stream))                                \
  SVM_CUDA(ModuleLoad, "cuModuleLoadData", (Module*, const void*))                            \
  SVM_CUDA(ModuleUnload, "cuModuleUnload", (Module))                                          \
  SVM_CUDA(ModuleGetFunction, "cuModuleGetFunction", (Function*, Module, const char*))        \
  SVM_CUDA(FunctionSetAttribute, "cuFuncSetAttribute", (Function, int, int))                  \
  SVM_CUDA(LaunchKernel, "cuLaunchKernel",                                                    \
           (Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
            Stream, void**, void**))                                                          \
  SVM_CUDA(EventCreate, "cuEventCreate", (Event*, unsigned))                                  \
  SVM_CUDA(EventDestroy, "cuEventDestroy_v2", (Event))                                        \
  SVM_CUDA(EventRecord, "cuEventRecord", (Event, Stream))                                     \
  SVM_CUDA(EventElapsedTime, "cuEventElapsedTime", (float*, Event, Event))

struct DriverApi {
#define SVM_CUDA_MEMBER(member, symbol, parameters) Result(*member) parameters = nullptr;
  SVM_CUDA_FUNCTIONS(SVM_CUDA_MEMBER)
#undef SVM_CUDA_MEMBER

  // Loads the driver and keeps it: it cannot be unloaded while its threads run. kUnsupported says
  // what is missing; who asks again has it looked for again.
  static base::Result<const DriverApi*> Get();

  // OK, or the driver's words about what `call` came to.
  base::Status Check(Result result, const char* call) const;
};

}  // namespace shadowvm::device::cuda
