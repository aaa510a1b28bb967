// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// The sink that materialises rows: reserve, store column by column, done.

#include "engine/kernels/cpu/columns.h"

namespace shadowvm::kernels {

// Makes room for 'rows' more; false with call->error set when there is none. Pointers into the
// output taken before are stale afterwards.
SVM_INLINE bool reserve(KernelCall* call, u64 rows) {
  OutputView* const output = call->output;
  return output->capacity - output->count >= rows || output->reserve(call, rows);
}

// Where the next row of a column goes: out[j] is row number j of the tile.
template <class V>
SVM_INLINE V* output_column(const KernelCall* call, u32 column) {
  return static_cast<V*>(call->output->columns[column]) + call->output->count;
}
SVM_INLINE u8* output_valid(const KernelCall* call, u32 column) {
  return call->output->valid[column] + call->output->count;
}

// The rows stored since 'reserve' are part of the output.
SVM_INLINE void append_done(KernelCall* call, u64 rows) { call->output->count += rows; }

}  // namespace shadowvm::kernels
