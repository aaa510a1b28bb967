// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>

#include "engine/base/status.h"
#include "engine/device/accelerator.h"

namespace shadowvm::exec {

// Room in the device's memory for a table that a kernel fills, entries and slots that lead to them,
// as many as nobody knows before. A table that runs full is made larger for another launch.
class TableRoom {
 public:
  explicit TableRoom(int64_t entry_bytes) : entry_bytes_(entry_bytes) {}

  // Rows that may come, each with an entry of its own at most, or nearly so.
  void Expect(int64_t rows);
  // Whether so many entries had room; if not there is more from now on. kOutOfMemory: more than
  // 'most_bytes' would be needed; 'what' they are is told.
  base::Result<bool> Had(uint64_t entries, int64_t most_bytes, const std::string& what);

  int64_t capacity() const { return capacity_; }  // of entries
  uint64_t num_slots() const;                     // a power of two, more than there are entries
  int64_t slot_bytes() const { return static_cast<int64_t>(num_slots()) * 8; }
  int64_t bytes() const { return slot_bytes() + capacity_ * entry_bytes_; }
  // Slots come first.
  device::DeviceAddress entries(device::DeviceAddress room) const {
    return room + static_cast<uint64_t>(slot_bytes());
  }

 private:
  const int64_t entry_bytes_;
  int64_t capacity_ = 0;
};

}  // namespace shadowvm::exec
