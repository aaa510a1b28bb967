// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/kernel.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "engine/base/fault.h"
#include "engine/vkernel/compile/process.h"

namespace shadowvm::vkernel {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;

Status LoadError(const std::string& name, const char* why) {
  return MakeError(ErrorCode::kKernelLoad,
                   "'" + name + "': " + (why != nullptr ? why : "unknown error"));
}

// A path of an open descriptor that no earlier call returned. The loader takes equal names for
// equal libraries, and descriptor numbers are used again; extra "./" and "/" change a name and not
// what it means, so the bits of a running number are spelled with them.
std::string UniquePath(int descriptor) {
  static std::atomic<uint64_t> next{1};
  std::string path = "/proc/self/fd/";
  for (uint64_t number = next++; number != 0; number /= 2) path += number % 2 != 0 ? "./" : "/";
  return path + std::to_string(descriptor);
}

Status WriteAll(int descriptor, const std::string& name, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return LoadError(name, std::strerror(errno));
    done += static_cast<size_t>(written);
  }
  return Status::OK();
}

}  // namespace

Result<std::unique_ptr<Kernel>> Kernel::Load(const std::string& name, const std::string& bytes) {
  SVM_FAULT_POINT("compile.load");
  const FileDescriptor memory(::memfd_create("shadowvm-kernel", MFD_CLOEXEC));
  if (!memory.valid()) return LoadError(name, std::strerror(errno));
  SVM_RETURN_NOT_OK(WriteAll(memory.get(), name, bytes));
  void* library = ::dlopen(UniquePath(memory.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return LoadError(name, ::dlerror());
  std::unique_ptr<Kernel> kernel(new Kernel(name, library));
  SVM_ASSIGN_OR_RETURN(kernel->entry_, kernel->Find(kKernelEntry));
  return kernel;
}

Kernel::~Kernel() { ::dlclose(library_); }

Result<KernelEntry> Kernel::Find(const std::string& symbol) const {
  ::dlerror();
  void* address = ::dlsym(library_, symbol.c_str());
  if (address == nullptr) return LoadError(name_, ::dlerror());
  return reinterpret_cast<KernelEntry>(address);
}

}  // namespace shadowvm::vkernel
