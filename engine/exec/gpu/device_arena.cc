// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/device_arena.h"

#include <algorithm>
#include <string>

namespace shadowvm::exec {
namespace {

// A piece is this share of the cap, unless that is very much or very little.
constexpr int64_t kPieces = 16;
constexpr int64_t kLeastPiece = int64_t{4} << 20;
constexpr int64_t kMostPiece = int64_t{1} << 30;

}  // namespace

base::Result<DeviceBlock> DeviceArena::Take(int64_t bytes) {
  std::lock_guard lock(mutex_);
  for (;;) {
    for (const auto& piece : pieces_) {
      const auto at = piece->ranges.Take(bytes);
      if (!at) continue;
      used_ += memory::RangeAllocator::SizeOf(bytes);
      return DeviceBlock(this, piece->memory.address() + static_cast<uint64_t>(*at), bytes);
    }
    SVM_RETURN_NOT_OK(AddPiece(bytes));
  }
}

// One that has room for so many bytes in a row.
base::Status DeviceArena::AddPiece(int64_t bytes) {
  const int64_t least = memory::RangeAllocator::SizeOf(bytes);
  const int64_t usual = std::clamp(cap_ / kPieces, kLeastPiece, kMostPiece);
  const int64_t size = std::min(std::max(usual, least), cap_ - held_);
  if (size < least) {
    return base::MakeError(base::ErrorCode::kOutOfMemory,
                           "no " + std::to_string(bytes) + " bytes left of the " +
                               std::to_string(cap_) + " that are to be used of the device");
  }
  SVM_ASSIGN_OR_RETURN(device::DeviceMemory memory, accelerator_.Allocate(size));
  pieces_.push_back(
      std::make_unique<Piece>(Piece{std::move(memory), memory::RangeAllocator(size)}));
  held_ += size;
  return base::Status::OK();
}

void DeviceArena::Give(device::DeviceAddress address, int64_t bytes) {
  std::lock_guard lock(mutex_);
  used_ -= memory::RangeAllocator::SizeOf(bytes);
  for (const auto& piece : pieces_) {
    const auto at = static_cast<int64_t>(address - piece->memory.address());
    if (at >= 0 && at < piece->memory.bytes()) return piece->ranges.Give(at, bytes);
  }
}

bool DeviceArena::CouldTake(int64_t bytes) const {
  std::lock_guard lock(mutex_);
  int64_t longest = cap_ - held_;
  for (const auto& piece : pieces_) longest = std::max(longest, piece->memory.bytes());
  return memory::RangeAllocator::SizeOf(bytes) <= longest;
}

int64_t DeviceArena::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

}  // namespace shadowvm::exec
