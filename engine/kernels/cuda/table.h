// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The sink that makes a join's table, by direct address. Cores have no such words: they collect
// rows, and state/join_table.h makes the table of them.

#include "engine/kernels/cuda/tile.h"

namespace shadowvm::kernels {

// The number of a group, given on first sight: few rows of a dimension have few groups, whatever
// their values. Who finds none takes the place and gives one; others look again until it is there.
SVM_INLINE u32 number_of_group(const LaunchTable& table, u32 group) {
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

// Where a key's bit is, and what was there before it came.
struct EnteredKey {
  u64 at;  // the table's size: there is no place for it, and nobody asks for it
  u32 before;
};
SVM_INLINE EnteredKey set_bit_of(const LaunchTable& table, i64 key) {
  const u64 at = u64(key) - u64(table.base);
  if (at >= table.size) return {table.size, 0};
  return {at, shift_right(atomic_or(table.bits + (at >> 5), 1u << (at & 31)), u32(at)) & 1};
}

SVM_INLINE void enter_key(const DeviceCall* call, i64 key) {
  const LaunchTable& table = call->block->table;
  if (set_bit_of(table, key).before != 0) table.found->repeated = 1;
}

// The same, with the group of its row, which 'numbers' has a place for. What was there before is
// looked at last: until then nobody waits for it.
SVM_INLINE void enter_key_of_group(const DeviceCall* call, i64 key, u32 group) {
  const LaunchTable& table = call->block->table;
  const EnteredKey entered = set_bit_of(table, key);
  if (entered.at == table.size) return;
  table.codes[entered.at] = u16(number_of_group(table, group));
  if (entered.before != 0) table.found->repeated = 1;
}

}  // namespace shadowvm::kernels
