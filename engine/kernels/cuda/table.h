// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The sink that makes a join's table, by direct address. Cores have no such words: they collect
// rows, and state/join_table.h makes the table of them.

#include "engine/kernels/cuda/tile.h"

namespace shadowvm::kernels {

// The number of a group, given on first sight: few rows of a dimension have few groups, whatever
// their values. Who finds none takes the place and gives one; others look again until it is there.
SVM_INLINE u32 give_number(const LaunchTable& table, u32 group) {
  u32* const place = table.numbers + group;
  for (;;) {
    u32 number = *static_cast<volatile u32*>(place);
    if (number == 0) number = atomic_swap_if(place, 0u, kBusyNumber);
    if (number == 0) {
      number = atomic_add(&table.found->num_groups, 1u) + 1;
      table.groups[number - 1] = group;
      atomic_swap_if(place, kBusyNumber, number);
      return number;
    }
    if (number != kBusyNumber) return number;
  }
}

// At first nobody finds a number: of lanes with the same group one asks for all.
SVM_INLINE u32 number_of_group(const LaunchTable& table, u32 group) {
  u32 number = *static_cast<volatile u32*>(table.numbers + group);
  if (number != 0 && number != kBusyNumber) return number;
  const u32 lanes = same_of_lanes(lanes_here(), group);
  const u32 first = lowest_bit(lanes);
  if (lane_number() == first) number = give_number(table, group);
  return take_of_lanes(lanes, number, first);
}

// Sets the bit of the key at that place. Neighbours in a table are mostly neighbours in a warp: the
// first of those with bits in one word sets them all.
SVM_INLINE void set_bit_at(const LaunchTable& table, u64 at) {
  const u32 lanes = same_of_lanes(lanes_here(), u32(at >> 5));
  const u32 bits = bits_of_lanes(lanes, 1u << (at & 31));
  if (lane_number() != lowest_bit(lanes)) return;
  const u32 before = atomic_or(table.bits + (at >> 5), bits);
  if ((before & bits) != 0 || count_bits(bits) != count_bits(lanes)) table.found->repeated = 1;
}

// Of keys that have no place in the table nobody will ask.
SVM_ONCE void enter(const LaunchTable& table, i64 key) {
  const u64 at = u64(key) - u64(table.base);
  if (at < table.size) set_bit_at(table, at);
}

// The same, with the group of its row, which 'numbers' has a place for.
SVM_ONCE void enter_with_group(const LaunchTable& table, i64 key, u32 group) {
  const u64 at = u64(key) - u64(table.base);
  if (at >= table.size) return;
  table.codes[at] = u16(number_of_group(table, group));
  set_bit_at(table, at);
}

SVM_INLINE void enter_key(const DeviceCall* call, i64 key) { enter(call->block->table, key); }
SVM_INLINE void enter_key_of_group(const DeviceCall* call, i64 key, u32 group) {
  enter_with_group(call->block->table, key, group);
}

}  // namespace shadowvm::kernels
