// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "engine/device/accelerator.h"
#include "engine/kernels/common/launch.h"

namespace shadowvm::exec {

// Data of the host that is in the device's memory already, by its first byte: a few tables, which
// are found soonest in a list.
using PlacedData = std::vector<std::pair<const void*, device::DeviceAddress>>;

// Writes what one launch is told, as the bytes of one stretch of the device's memory: first data
// that kernels read where it is, then the LaunchBlock with the arrays that blocks of threads bring
// into shared memory (engine/kernels/common/launch.h). Elsewhere lies space that nobody writes
// before the kernel. Pointers are the device's, so the stretch's address must be known: who writes
// does so twice, first without an address to learn how much there is.
class LaunchWriter {
 public:
  struct Around {
    const PlacedData* placed = nullptr;  // if anything was placed before; outlives this
    int64_t space_at = 0;                // the distance to where space begins
  };
  // At address 0 nothing is kept but the sizes.
  explicit LaunchWriter(device::DeviceAddress address) : LaunchWriter(address, Around{}) {}
  LaunchWriter(device::DeviceAddress address, const Around& around)
      : address_(address),
        placed_(around.placed),
        space_address_(address + static_cast<uint64_t>(around.space_at)) {}

  // Room for what another one has counted.
  void ReserveFor(const LaunchWriter& sizes) {
    data_.bytes.reserve(static_cast<size_t>(sizes.bytes()));
    block_.bytes.reserve(static_cast<size_t>(sizes.block_.size));
  }

  // Data, with bytes after it that may be read; nothing is written where it was placed before.
  const void* AddData(const void* bytes, int64_t size, int64_t padding = 16);
  template <typename T>
  const T* AddData(const T* values, int64_t count) {
    return static_cast<const T*>(
        values == nullptr ? nullptr
                          : AddData(static_cast<const void*>(values), count * int64_t{sizeof(T)}));
  }

  // From data's first byte to where the next begins.
  static constexpr int64_t DataBytes(int64_t size, int64_t padding = 16) {
    return RoundUp(size) + RoundUp(padding);
  }

  // Room for what the kernel gives back, filled with these bytes.
  template <typename T>
  T* AddRoom(const T* values, int64_t count) {
    return const_cast<T*>(AddData(values, count));
  }

  // Space that is not copied from anywhere.
  device::DeviceAddress AddSpace(int64_t bytes) {
    const int64_t at = space_size_;
    space_size_ += RoundUp(bytes);
    return space_address_ + static_cast<uint64_t>(at);
  }

  // An array of the block, as its distance from the block's start.
  template <typename T>
  const T* AddArray(const T* values, int64_t count) {
    const int64_t at = kHeadBytes + Append(&block_, values, count * int64_t{sizeof(T)});
    return reinterpret_cast<const T*>(at);
  }

  // The block's head, once all else is there; its block_bytes are filled in.
  void Finish(kernels::LaunchBlock head);

  int64_t bytes() const { return data_size_ + block_size(); }  // without space
  int64_t space_bytes() const { return space_size_; }
  int64_t block_size() const { return kHeadBytes + block_.size; }
  // All but the block.
  int64_t data_bytes() const { return data_size_; }
  // The block's bytes, after Finish.
  std::span<const uint8_t> block() const {
    return std::span(data_.bytes).subspan(static_cast<size_t>(data_size_));
  }
  // Where the block will be, after Finish.
  device::DeviceAddress block_address() const {
    return address_ + static_cast<uint64_t>(data_size_);
  }
  // All of it, after Finish.
  const std::vector<uint8_t>& image() const { return data_.bytes; }
  std::vector<uint8_t> TakeImage() { return std::move(data_.bytes); }

 private:
  struct Stretch {
    std::vector<uint8_t> bytes;
    int64_t size = 0;
  };
  static constexpr int64_t kAlignment = 16;
  static constexpr int64_t RoundUp(int64_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  static constexpr int64_t kHeadBytes = sizeof(kernels::LaunchBlock);

  int64_t Append(Stretch* stretch, const void* bytes, int64_t size);

  const device::DeviceAddress address_;
  const PlacedData* const placed_;
  const device::DeviceAddress space_address_;
  Stretch data_, block_;
  int64_t data_size_ = 0;
  int64_t space_size_ = 0;
};

}  // namespace shadowvm::exec
