// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/device_copies.h"

#include <algorithm>

namespace shadowvm::exec {
namespace {

// Where zeros come from; padding is copied in pieces of this.
constexpr uint8_t kZeros[4096] = {};

base::Status ClearBytes(device::DeviceAddress at, int64_t bytes, device::Stream* stream) {
  for (int64_t done = 0; done < bytes; done += static_cast<int64_t>(sizeof kZeros)) {
    const int64_t piece = std::min(bytes - done, static_cast<int64_t>(sizeof kZeros));
    SVM_RETURN_NOT_OK(stream->CopyIn(at + static_cast<uint64_t>(done), kZeros, piece));
  }
  return base::Status::OK();
}

}  // namespace

base::Result<device::DeviceAddress> DeviceCopies::Get(const std::shared_ptr<memory::Buffer>& buffer,
                                                      int64_t padding, device::Stream* stream) {
  const auto known = copies_.find(buffer.get());
  if (known != copies_.end()) {
    if (known->second.of.lock() == buffer) return known->second.memory.address();
    // Another buffer had this address.
    bytes_ -= known->second.memory.bytes();
    copies_.erase(known);
  }
  SVM_ASSIGN_OR_RETURN(device::DeviceMemory memory, Allocate(buffer->size() + padding));
  const device::DeviceAddress address = memory.address();
  SVM_RETURN_NOT_OK(stream->CopyIn(address, buffer->data(), buffer->size()));
  SVM_RETURN_NOT_OK(ClearBytes(address + static_cast<uint64_t>(buffer->size()), padding, stream));
  bytes_ += memory.bytes();
  copies_[buffer.get()] = {buffer, std::move(memory)};
  return address;
}

base::Result<device::DeviceMemory> DeviceCopies::Allocate(int64_t bytes) {
  auto memory = accelerator_.Allocate(bytes);
  if (memory.ok() || base::CodeOf(memory.status()) != base::ErrorCode::kOutOfMemory) return memory;
  DropDead();
  return accelerator_.Allocate(bytes);
}

void DeviceCopies::DropDead() {
  std::erase_if(copies_, [&](const auto& entry) {
    if (!entry.second.of.expired()) return false;
    bytes_ -= entry.second.memory.bytes();
    return true;
  });
}

}  // namespace shadowvm::exec
