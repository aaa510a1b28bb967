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

bool IsRefused(const base::Status& asked) {
  return !asked.ok() && base::CodeOf(asked) == base::ErrorCode::kOutOfMemory;
}

}  // namespace

base::Result<DeviceBlock> DeviceArena::Take(int64_t bytes) {
  std::lock_guard lock(mutex_);
  for (;;) {
    if (auto block = TakeHeldLocked(bytes)) return std::move(*block);
    SVM_RETURN_NOT_OK(AddPieceLocked(bytes));
  }
}

std::optional<DeviceBlock> DeviceArena::TakeHeld(int64_t bytes) {
  std::lock_guard lock(mutex_);
  return TakeHeldLocked(bytes);
}

std::optional<DeviceBlock> DeviceArena::TakeHeldLocked(int64_t bytes) {
  for (const auto& piece : pieces_) {
    const auto at = piece->ranges.Take(bytes);
    if (!at) continue;
    used_ += memory::RangeAllocator::SizeOf(bytes);
    return DeviceBlock(this, piece->memory.address() + static_cast<uint64_t>(*at), bytes);
  }
  return std::nullopt;
}

// One that has room for so many bytes in a row.
base::Status DeviceArena::AddPieceLocked(int64_t bytes) {
  const int64_t needed = memory::RangeAllocator::SizeOf(bytes);
  const int64_t usual = std::clamp(cap_ / kPieces, kLeastPiece, kMostPiece);
  const int64_t most = std::min(std::max(usual, needed), cap_ - held_);
  if (most < needed) {
    return base::MakeError(base::ErrorCode::kOutOfMemory,
                           "no " + std::to_string(bytes) + " bytes left of the " +
                               std::to_string(cap_) + " that are to be used of the device");
  }
  // Others may have left less than a usual piece. To refuse takes the device time, too.
  const int64_t least = std::max(needed, std::min(kLeastPiece, most));
  int64_t size = is_short_ ? least : most;
  auto memory = accelerator_.Allocate(size);
  for (; IsRefused(memory.status()) && size > least; memory = accelerator_.Allocate(size)) {
    size = std::max(size / 2, least);
  }
  is_short_ = IsRefused(memory.status());
  SVM_RETURN_NOT_OK(memory.status());
  pieces_.push_back(
      std::make_unique<Piece>(Piece{std::move(*memory), memory::RangeAllocator(size)}));
  held_ += size;
  return base::Status::OK();
}

void DeviceArena::Give(device::DeviceAddress address, int64_t bytes) {
  accelerator_.Forget(address, bytes);
  std::lock_guard lock(mutex_);
  used_ -= memory::RangeAllocator::SizeOf(bytes);
  for (const auto& piece : pieces_) {
    const auto at = static_cast<int64_t>(address - piece->memory.address());
    if (at >= 0 && at < piece->memory.bytes()) return piece->ranges.Give(at, bytes);
  }
}

bool DeviceArena::CouldTake(int64_t bytes) const {
  std::lock_guard lock(mutex_);
  int64_t longest = CapLocked() - held_;
  for (const auto& piece : pieces_) longest = std::max(longest, piece->memory.bytes());
  return memory::RangeAllocator::SizeOf(bytes) <= longest;
}

int64_t DeviceArena::cap() const {
  std::lock_guard lock(mutex_);
  return CapLocked();
}

int64_t DeviceArena::used() const {
  std::lock_guard lock(mutex_);
  return used_;
}

}  // namespace shadowvm::exec
