// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <dlfcn.h>
#include <unistd.h>

#include <memory>

#include "engine/cli/doctor/finding.h"

namespace shadowvm::cli {
namespace {

struct CloseLibrary {
  void operator()(void* library) const { ::dlclose(library); }
};

}  // namespace

// Looks at what a driver leaves on a machine, without starting it: the device file and the driver's
// library.
Finding FindGpu() {
  const bool has_device = ::access("/dev/nvidia0", F_OK) == 0;
  const std::unique_ptr<void, CloseLibrary> driver(
      ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL));
  if (!has_device && driver == nullptr) {
    return {"gpu", Finding::State::kMissing,
            "none: no /dev/nvidia0 and no libcuda.so.1; queries run on the CPU"};
  }
  if (!has_device) {
    return {"gpu", Finding::State::kMissing,
            "none: libcuda.so.1 is installed, but there is no /dev/nvidia0"};
  }
  if (driver == nullptr) {
    return {"gpu", Finding::State::kMissing,
            "/dev/nvidia0 is there, but the driver's libcuda.so.1 does not load"};
  }
  return {"gpu", Finding::State::kLimited,
          "an NVIDIA card and its driver are here; this version does not use them yet"};
}

}  // namespace shadowvm::cli
