// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <vector>

#include "engine/exec/gpu/launch_texts.h"
#include "engine/exec/gpu/table_room.h"
#include "engine/exec/state/accumulator.h"
#include "engine/exec/state/hash_groups.h"
#include "engine/exec/state/text_arena.h"
#include "engine/kernels/common/launch.h"

namespace shadowvm::exec {

// Rows of groups as a launch has left them, in the host's memory: so many, one behind another.
struct FoundGroups {
  int64_t* rows = nullptr;
  int64_t count = 0;
  int row_words = 0;
};

// Whether any of them holds a string.
bool HoldText(std::span<const Accumulator> accumulators);
// Puts copies into the arena of strings that accumulators hold, whose words are the last of each
// row.
base::Status KeepTexts(std::span<const Accumulator> accumulators, const FoundGroups& groups,
                       TextOrigins* origins, TextArena* arena);

// Keys of hash groups that are strings without a code: the device gives them numbers, in the order
// in which it meets them, and the host takes them over as ids of an interner. The part of a
// HashSink that knows of strings.
class GroupTexts {
 public:
  // 'keys' are those of the groups, all of them; those that are strings are ids of 'interner' once
  // the host has them.
  GroupTexts(std::span<const HashKeyColumn> keys, TextInterner* interner,
             memory::MemoryBudget* budget);

  // Whether any key is one.
  bool empty() const { return keys_.empty(); }

  TableRoom& room() { return room_; }
  const TableRoom& room() const { return room_; }
  // Tells a kernel of a table in such room, and where it counts the strings.
  kernels::LaunchStrings At(device::DeviceAddress room, device::DeviceAddress count) const;

  // Puts the interner's ids where the rows have numbers of strings, of which there are 'count' in
  // the room. Waits for the device.
  base::Status Take(device::Stream* stream, device::DeviceAddress room, uint64_t count,
                    TextOrigins* origins, const FoundGroups& groups);

 private:
  struct Key {
    int word = 0;
    int null_word = -1;
    int null_bit = 0;
  };

  std::vector<Key> keys_;
  TextInterner* const interner_;
  memory::MemoryBudget* const budget_;
  TableRoom room_{sizeof(kernels::Text)};
};

}  // namespace shadowvm::exec
