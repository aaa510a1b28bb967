// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <string>

#include "engine/base/status.h"
#include "engine/device/shared_object.h"

namespace shadowvm::vkernel {

using KernelEntry = void (*)(void*);

// The entry that every kernel has.
inline constexpr char kKernelEntry[] = "svm_kernel";

// A compiled kernel, loaded from memory; its code stays callable while the object lives.
class Kernel {
 public:
  // `name` is for messages. kKernelLoad with the loader's words if the object is bad or has no
  // svm_kernel.
  static base::Result<std::unique_ptr<Kernel>> Load(const std::string& name,
                                                    const std::string& bytes);

  KernelEntry entry() const { return entry_; }
  // A further entry of the same text.
  base::Result<KernelEntry> Find(const std::string& symbol) const;

 private:
  explicit Kernel(std::unique_ptr<device::SharedObject> object) : object_(std::move(object)) {}

  std::unique_ptr<device::SharedObject> object_;
  KernelEntry entry_ = nullptr;
};

}  // namespace shadowvm::vkernel
