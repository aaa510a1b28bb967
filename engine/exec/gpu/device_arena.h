// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/device/accelerator.h"
#include "engine/memory/range_allocator.h"

namespace shadowvm::exec {

class DeviceArena;

// Bytes of an arena, given back when it goes. The arena outlives it.
class DeviceBlock {
 public:
  DeviceBlock() = default;
  DeviceBlock(DeviceArena* owner, device::DeviceAddress address, int64_t bytes)
      : owner_(owner), address_(address), bytes_(bytes) {}
  DeviceBlock(DeviceBlock&& other) noexcept { *this = std::move(other); }
  DeviceBlock& operator=(DeviceBlock&& other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DeviceBlock();

  device::DeviceAddress address() const { return address_; }
  int64_t bytes() const { return bytes_; }

 private:
  DeviceArena* owner_ = nullptr;
  device::DeviceAddress address_ = 0;
  int64_t bytes_ = 0;
};

// The part of a device's memory that an engine uses, under a cap: taken from the device in large
// pieces, which are kept, because a driver stops the device when memory is given back. Thread-safe.
class DeviceArena {
 public:
  DeviceArena(device::Accelerator* accelerator, int64_t cap)
      : accelerator_(*accelerator), cap_(cap) {}

  // kOutOfMemory when the cap or the device leaves no stretch of so many bytes.
  base::Result<DeviceBlock> Take(int64_t bytes);
  // The same without asking the device for more; no block: there is no such stretch.
  std::optional<DeviceBlock> TakeHeld(int64_t bytes);

  // Whether there would be a stretch of so many bytes if all of them were given back.
  bool CouldTake(int64_t bytes) const;

  // What may be used; no more than is held after the device has refused to give more, which it does
  // where others use it too, until it gives some again.
  int64_t cap() const;
  int64_t used() const;

 private:
  friend class DeviceBlock;
  struct Piece {
    device::DeviceMemory memory;
    memory::RangeAllocator ranges;
  };
  std::optional<DeviceBlock> TakeHeldLocked(int64_t bytes);
  base::Status AddPieceLocked(int64_t bytes);
  int64_t CapLocked() const { return is_short_ ? held_ : cap_; }
  void Give(device::DeviceAddress address, int64_t bytes);

  device::Accelerator& accelerator_;
  const int64_t cap_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Piece>> pieces_;
  int64_t held_ = 0;  // of the device
  int64_t used_ = 0;
  bool is_short_ = false;  // the device gave nothing when last asked
};

inline DeviceBlock::~DeviceBlock() {
  if (owner_ != nullptr) owner_->Give(address_, bytes_);
}

}  // namespace shadowvm::exec
