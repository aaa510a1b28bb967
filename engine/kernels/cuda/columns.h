// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Columns of a launch's segments, addressed by a row's id.

#include "engine/kernels/common/payload.h"
#include "engine/kernels/common/text_match.h"
#include "engine/kernels/cuda/machine.h"

namespace shadowvm::kernels {

SVM_INLINE u32 row_in_segment(u32 i) { return i & ((1u << kSegmentShift) - 1); }
SVM_INLINE bool bit_at(const u64* bits, u64 at) { return load(bits + (at >> 6)) >> (at & 63) & 1; }

// One row's value. What a warp may have written, into room for rows, is not read as what no kernel
// writes is.
template <class V>
SVM_INLINE V load_row(const SegmentColumn& column, const V* at) {
  if (kQuick) return load(at);
  return column.rows == column.data ? load_once(at) : load_written(at);
}

struct AnyColumn {
  // In shared memory, where it is looked up each time: a pointer for each column would take
  // registers all along.
  const ColumnView& view;
  SVM_MEMBER explicit AnyColumn(const ColumnView& v) : view(v) {}
  // By loads of what no kernel writes: they need not wait for the atomics before them. Quick code
  // leaves no rows in the room for them.
  SVM_MEMBER SegmentColumn segment(u32 i) const {
    const u64* const word = reinterpret_cast<const u64*>(
        static_cast<const SegmentColumn*>(view.data) + (i >> kSegmentShift));
    return {reinterpret_cast<const void*>(load_if_asked(word)), i64(load_if_asked(word + 1)),
            reinterpret_cast<const u64*>(load_if_asked(word + 2)),
            reinterpret_cast<const u32*>(load_if_asked(word + 3)),
            reinterpret_cast<const void*>(load_if_asked(word + (kQuick ? 0 : 4)))};
  }
  SVM_MEMBER bool valid(u32 i) const {
    const u64* const validity = segment(i).validity;
    return validity == nullptr || bit_at(validity, row_in_segment(i));
  }
  // What lies at row i, held as V.
  template <class V>
  SVM_MEMBER V held(u32 i) const {
    const SegmentColumn column = segment(i);
    return load_row(column, static_cast<const V*>(column.rows) + row_in_segment(i));
  }
};

// Quick code has one function for columns of all widths.
SVM_INLINE u64 quick_offset(const void* rows, u32 row, u32 bytes) {
  switch (bytes) {
    case 1:
      return load(static_cast<const u8*>(rows) + row);
    case 2:
      return load(static_cast<const u16*>(rows) + row);
    case 4:
      return load(static_cast<const u32*>(rows) + row);
    default:
      return load(static_cast<const u64*>(rows) + row);
  }
}
SVM_ONCE i64 quick_value(const ColumnView& view, u32 i, u32 bytes) {
  const SegmentColumn column = AnyColumn(view).segment(i);
  return i64(u64(column.base) + quick_offset(column.rows, row_in_segment(i), bytes));
}

// Integers, dates, timestamps, narrow decimals, bools: base + an unsigned offset of sizeof(U)
// bytes.
template <class U>
struct Column : AnyColumn {
  using Offset = U;
  SVM_MEMBER explicit Column(const ColumnView& v) : AnyColumn(v) {}
  SVM_MEMBER i64 operator[](u32 i) const {
    if constexpr (kQuick) return quick_value(view, i, sizeof(U));
    return i64(u64(segment(i).base) + held<U>(i));
  }
};

// Decimals of more than 18 digits.
struct WideColumn : AnyColumn {
  SVM_MEMBER explicit WideColumn(const ColumnView& v) : AnyColumn(v) {}
  SVM_MEMBER i128 operator[](u32 i) const { return held<i128>(i); }
};

template <class F>
struct FloatColumn : AnyColumn {
  SVM_MEMBER explicit FloatColumn(const ColumnView& v) : AnyColumn(v) {}
  SVM_MEMBER F operator[](u32 i) const { return held<F>(i); }
};

// Strings by code of the column's dictionary. Codes have no base.
struct CodeColumn : AnyColumn {
  using Offset = u32;
  SVM_MEMBER explicit CodeColumn(const ColumnView& v) : AnyColumn(v) {}
  SVM_MEMBER u32 code(u32 i) const {
    return kQuick ? u32(quick_value(view, i, sizeof(u32))) : held<u32>(i);
  }
  SVM_MEMBER Text operator[](u32 i) const { return view.texts[code(i)]; }
};

// Plain strings: bytes and offsets.
struct TextColumn : AnyColumn {
  SVM_MEMBER explicit TextColumn(const ColumnView& v) : AnyColumn(v) {}
  SVM_MEMBER Text operator[](u32 i) const {
    const u32* const at = segment(i).offsets + row_in_segment(i);
    return make_text(static_cast<const char*>(segment(i).data) + at[0], at[1] - at[0]);
  }
};

}  // namespace shadowvm::kernels
