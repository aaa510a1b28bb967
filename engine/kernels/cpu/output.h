// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The sink that materialises rows: reserve, store column by column, done.

#include "engine/kernels/cpu/columns.h"

namespace shadowvm::kernels {

// Makes room for the tile's rows; false with call->error set when there is none. Pointers into the
// output taken before are stale afterwards.
template <class T>
SVM_INLINE bool reserve(const T& t, KernelCall* call) {
  OutputView* const output = call->output;
  return output->capacity - output->count >= t.count || output->reserve(call, t.count);
}

// Where the next row of a column goes: out[j] is row number j of the tile.
template <class V>
SVM_INLINE V* output_column(const KernelCall* call, u32 column) {
  return static_cast<V*>(call->output->columns[column]) + call->output->count;
}
SVM_INLINE u8* output_valid(const KernelCall* call, u32 column) {
  return call->output->valid[column] + call->output->count;
}

// A text that lives no longer than its segment, as it may leave.
SVM_INLINE Text keep_text(KernelCall* call, const Text& text) {
  return call->keep_text(call, text);
}

// A column of the source that goes out as it is, at its natural width V, or as codes.
template <class V, class T, class U>
SVM_VERB void append_column(const T& t, const KernelCall* call, u32 slot, const Column<U>& column) {
  V* const out = output_column<V>(call, slot);
  SVM_EACH_ROW(t) out[j] = V(column[i]);
}
template <class T>
SVM_VERB void append_codes(const T& t, const KernelCall* call, u32 slot, const CodeColumn& column) {
  u32* const out = output_column<u32>(call, slot);
  SVM_EACH_ROW(t) out[j] = column.code(i);
}

// The rows stored since 'reserve' are part of the output.
template <class T>
SVM_INLINE void append_done(const T& t, KernelCall* call) {
  call->output->count += t.count;
}

}  // namespace shadowvm::kernels
