// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/shared_object.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace shadowvm::device {
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

// A file in memory, gone when it is closed.
struct MemoryFile {
  const int descriptor = ::memfd_create("shadowvm-kernel", MFD_CLOEXEC);
  ~MemoryFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

}  // namespace

Result<std::unique_ptr<SharedObject>> SharedObject::Load(const std::string& name,
                                                         const std::string& bytes) {
  const MemoryFile file;
  if (file.descriptor < 0) return LoadError(name, std::strerror(errno));
  SVM_RETURN_NOT_OK(WriteAll(file.descriptor, name, bytes));
  void* library = ::dlopen(UniquePath(file.descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return LoadError(name, ::dlerror());
  return std::unique_ptr<SharedObject>(new SharedObject(name, library));
}

SharedObject::~SharedObject() { ::dlclose(library_); }

Result<void*> SharedObject::Find(const std::string& symbol) const {
  ::dlerror();
  void* address = ::dlsym(library_, symbol.c_str());
  if (address == nullptr) return LoadError(name_, ::dlerror());
  return address;
}

}  // namespace shadowvm::device
