// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Columns of the segment at hand, addressed by row.

#include "engine/kernels/common/payload.h"
#include "engine/kernels/common/text_match.h"
#include "engine/kernels/cpu/tile.h"

namespace shadowvm::kernels {

SVM_INLINE bool bit_at(const u64* bits, u64 at) { return bits[at >> 6] >> (at & 63) & 1; }

// What every column has: a null row holds some value that is safe to read.
struct AnyColumn {
  const u64* validity;
  SVM_MEMBER explicit AnyColumn(const ColumnView& view) : validity(view.validity) {}
  SVM_MEMBER bool valid(u32 i) const { return validity == nullptr || bit_at(validity, i); }
};

// Integers, dates, timestamps, narrow decimals, bools: base + an unsigned offset of sizeof(U)
// bytes.
template <class U>
struct Column : AnyColumn {
  using Offset = U;
  const U* data;
  i64 base;
  SVM_MEMBER explicit Column(const ColumnView& view)
      : AnyColumn(view), data(static_cast<const U*>(view.data)), base(view.base) {}
  SVM_MEMBER U raw(u32 i) const { return data[i]; }
  SVM_MEMBER i64 operator[](u32 i) const { return i64(u64(base) + data[i]); }
};

// Decimals of more than 18 digits.
struct WideColumn : AnyColumn {
  const i128* data;
  SVM_MEMBER explicit WideColumn(const ColumnView& view)
      : AnyColumn(view), data(static_cast<const i128*>(view.data)) {}
  SVM_MEMBER i128 operator[](u32 i) const { return data[i]; }
};

template <class F>
struct FloatColumn : AnyColumn {
  const F* data;
  SVM_MEMBER explicit FloatColumn(const ColumnView& view)
      : AnyColumn(view), data(static_cast<const F*>(view.data)) {}
  SVM_MEMBER F operator[](u32 i) const { return data[i]; }
};

// Strings by code of the column's dictionary.
struct CodeColumn : AnyColumn {
  const u32* data;
  const Text* texts;
  SVM_MEMBER explicit CodeColumn(const ColumnView& view)
      : AnyColumn(view), data(static_cast<const u32*>(view.data)), texts(view.texts) {}
  SVM_MEMBER u32 code(u32 i) const { return data[i]; }
  SVM_MEMBER Text operator[](u32 i) const { return texts[data[i]]; }
};

// Plain strings: bytes and offsets.
struct TextColumn : AnyColumn {
  const char* data;
  const u32* offsets;
  SVM_MEMBER explicit TextColumn(const ColumnView& view)
      : AnyColumn(view), data(static_cast<const char*>(view.data)), offsets(view.offsets) {}
  SVM_MEMBER Text operator[](u32 i) const {
    return make_text(data + offsets[i], offsets[i + 1] - offsets[i]);
  }
};

}  // namespace shadowvm::kernels
