// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/compile/kernel.h"

#include "engine/base/fault.h"

namespace shadowvm::vkernel {

base::Result<std::unique_ptr<Kernel>> Kernel::Load(const std::string& name,
                                                   const std::string& bytes) {
  SVM_FAULT_POINT("compile.load");
  SVM_ASSIGN_OR_RETURN(auto object, device::SharedObject::Load(name, bytes));
  std::unique_ptr<Kernel> kernel(new Kernel(std::move(object)));
  SVM_ASSIGN_OR_RETURN(kernel->entry_, kernel->Find(kKernelEntry));
  return kernel;
}

base::Result<KernelEntry> Kernel::Find(const std::string& symbol) const {
  SVM_ASSIGN_OR_RETURN(void* address, object_->Find(symbol));
  return reinterpret_cast<KernelEntry>(address);
}

}  // namespace shadowvm::vkernel
