// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The sink that materialises rows: see cpu/output.h. Warps take their places in the output one
// after another, so rows come out packed and in no order; those of one source row, though, in the
// order of its matches. Where the output ends there is room for
// one row more, which takes all that do not fit; they are counted like the others, so that the host
// knows how much room there should have been.

#include "engine/kernels/cuda/tile.h"

namespace shadowvm::kernels {

template <class T>
SVM_INLINE bool reserve(const T& t, DeviceCall* call) {
  OutputView* const output = call->output;
  const u32 lanes = warp_ballot(t.live != 0);
  u64 first = 0;
  if (lane_number() == 0) first = atomic_add(&output->count, u64(count_bits(lanes)));
  const u64 place = take_from_lane(first, 0) + count_bits(lanes & ((1u << lane_number()) - 1));
  call->place = place < output->capacity ? place : output->capacity;
  u64* const rows = call->block->output_rows;
  if (rows != nullptr && t.live != 0) rows[call->place] = u64(call->block->launch) << 32 | t.row;
  return true;
}

template <class V>
SVM_INLINE V* output_column(const DeviceCall* call, u32 column) {
  return static_cast<V*>(call->output->columns[column]) + call->place;
}
SVM_INLINE u8* output_valid(const DeviceCall* call, u32 column) {
  return call->output->valid[column] + call->place;
}

// As it is: the host knows where the bytes came from, and keeps those.
SVM_INLINE Text keep_text(const DeviceCall*, const Text& text) { return text; }

template <class V, class T, class U>
SVM_INLINE void append_column(const T& t, const DeviceCall* call, u32 slot,
                              const Column<U>& column) {
  const i64 value = column[t.row];
  if (t.live != 0) *output_column<V>(call, slot) = V(value);
}
template <class T>
SVM_INLINE void append_codes(const T& t, const DeviceCall* call, u32 slot,
                             const CodeColumn& column) {
  const u32 code = column.code(t.row);
  if (t.live != 0) *output_column<u32>(call, slot) = code;
}

// They have been counted by 'reserve'.
template <class T>
SVM_INLINE void append_done(const T&, DeviceCall*) {}

}  // namespace shadowvm::kernels
