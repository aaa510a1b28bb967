// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "engine/exec/gpu/device_arena.h"
#include "engine/exec/gpu/placed_scans.h"
#include "engine/memory/buffer.h"

namespace shadowvm::exec {

// Copies of the host's buffers in a device's memory, for all queries: a cache of segments. What a
// copy is worth is the time it saves for each byte it takes: the bytes that launches have read of
// it, and would have had to bring over the link, over its size; older reads count less and less.
// When there is no room a buffer comes in only in the place of what is worth clearly less.
// Thread-safe.
class DeviceCopies {
 public:
  using BufferPtr = std::shared_ptr<memory::Buffer>;
  // Bytes of the device that stay as long as this is held, whatever becomes of the copy.
  using CopyPtr = std::shared_ptr<const DeviceBlock>;

  // A buffer that a launch reads, and how many bytes of it.
  struct Read {
    BufferPtr buffer;
    int64_t bytes = 0;
  };

  // A buffer that should have a copy with 'padding' bytes behind it.
  struct Wanted {
    BufferPtr buffer;
    int64_t padding = 0;
    bool needed = false;  // the device cannot read it in place
    bool kept = true;     // for others; else it goes when nobody holds it

    int64_t bytes() const { return buffer->size() + padding; }
  };

  // Scans hold copies, and give way before any of them does.
  DeviceCopies(DeviceArena* arena, PlacedScans* scans) : arena_(*arena), scans_(*scans) {}

  // The copies of buffers that a launch reads, null where there is none. Either way it is noted how
  // many bytes it reads of each.
  std::vector<CopyPtr> Use(const std::vector<Read>& reads);
  // Of one of them, once more.
  CopyPtr Find(const BufferPtr& buffer) const;

  // By wanted buffer its copy, made on the stream where others have not made it meanwhile; null for
  // those that there is no room for, within the allowance of MakeRoom. They are there when this
  // returns, and nothing is copied twice.
  struct Brought {
    std::vector<CopyPtr> copies;
    int64_t bytes = 0;  // that were copied
  };
  base::Result<Brought> Bring(const std::vector<Wanted>& wanted, int64_t allowance,
                              device::Stream* stream);
  // Room for buffers that have been used and have no copy; null for those that get none. No more
  // than 'allowance' bytes give way, except to what is needed.
  std::vector<CopyPtr> MakeRoom(const std::vector<Wanted>& wanted, int64_t allowance);
  // The bytes are there, for everyone.
  void Publish(const BufferPtr& buffer, CopyPtr copy);

  // Drops copies that nobody uses, the least worth first, until so many bytes are free; those of
  // buffers that are gone go first.
  void Drop(int64_t bytes);
  // Forgets all of them.
  void Clear();

  int64_t bytes() const;    // of all copies
  int64_t dropped() const;  // copies that had to give way, ever

 private:
  struct Entry {
    std::weak_ptr<memory::Buffer> of;
    CopyPtr copy;      // null: known, but not here
    double score = 0;  // bytes read, as of 'tick'
    int64_t tick = 0;
  };
  using Entries = std::unordered_map<const memory::Buffer*, Entry>;

  // Copies that nobody uses, the least worth first, and how far they have been dropped.
  struct Victims {
    std::vector<std::pair<double, Entries::iterator>> by_worth;
    size_t next = 0;
  };

  double WorthLocked(const Entry& entry, int64_t bytes) const;
  double WorthLocked(const Wanted& wanted) const;
  void ForgetDeadLocked();
  // Ends scans that nobody uses, and notes what was read of their copies.
  void EndScansLocked();
  Victims VictimsLocked();
  void DropLocked(Entries::iterator entry);
  // Drops victims worth less than 'worth', of at most *allowance bytes, until there is room.
  CopyPtr ReplaceLocked(Victims* victims, int64_t bytes, double worth, int64_t* allowance);
  CopyPtr Take(int64_t bytes);

  DeviceArena& arena_;
  PlacedScans& scans_;
  std::mutex making_;
  mutable std::mutex mutex_;
  Entries entries_;
  size_t forget_at_ = 1024;  // entries, that is
  int64_t tick_ = 0;         // launches, ever
  int64_t bytes_ = 0;
  int64_t dropped_ = 0;
};

}  // namespace shadowvm::exec
