// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <string>

#include "engine/base/status.h"

namespace shadowvm::device {

// Compiled code for the host, loaded from memory; it stays callable while the object lives.
class SharedObject {
 public:
  // `name` is for messages. kKernelLoad with the loader's words if the object is bad.
  static base::Result<std::unique_ptr<SharedObject>> Load(const std::string& name,
                                                          const std::string& bytes);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  // What a symbol stands for; kKernelLoad if there is none.
  base::Result<void*> Find(const std::string& symbol) const;

 private:
  SharedObject(std::string name, void* library) : name_(std::move(name)), library_(library) {}

  const std::string name_;
  void* const library_;
};

}  // namespace shadowvm::device
