// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "engine/device/accelerator.h"
#include "engine/memory/buffer.h"

namespace shadowvm::exec {

// Copies of the host's buffers in a device's memory, made on first use and kept as long as the
// host's buffer lives: tables that queries read again and again are there. One thread at a time.
class DeviceCopies {
 public:
  explicit DeviceCopies(device::Accelerator* accelerator) : accelerator_(*accelerator) {}

  // Where the buffer's bytes are, or will be when the stream has come to them; 'padding' bytes
  // after them are zero. kOutOfMemory when the device is full even without copies of buffers that
  // are gone.
  base::Result<device::DeviceAddress> Get(const std::shared_ptr<memory::Buffer>& buffer,
                                          int64_t padding, device::Stream* stream);

  // Forgets all of them.
  void Clear() {
    copies_.clear();
    bytes_ = 0;
  }

  int64_t bytes() const { return bytes_; }  // of all copies

 private:
  struct Copy {
    std::weak_ptr<memory::Buffer> of;
    device::DeviceMemory memory;
  };

  base::Result<device::DeviceMemory> Allocate(int64_t bytes);
  void DropDead();

  device::Accelerator& accelerator_;
  std::map<const memory::Buffer*, Copy> copies_;
  int64_t bytes_ = 0;
};

}  // namespace shadowvm::exec
