// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// Columns of a join's build side, addressed by build row.

#include "engine/kernels/common/abi.h"
#include "engine/kernels/common/inline.h"

namespace shadowvm::kernels {

struct AnyPayload {
  const u8* validity;
  SVM_MEMBER explicit AnyPayload(const PayloadView& view) : validity(view.valid) {}
  SVM_MEMBER bool valid(u32 row) const { return validity == nullptr || validity[row] != 0; }
};

// What a payload's value is computed in: integers up to 64 bits in i64.
template <class V>
struct Computed {
  using Type = i64;
};
template <>
struct Computed<i128> {
  using Type = i128;
};
template <>
struct Computed<float> {
  using Type = float;
};
template <>
struct Computed<double> {
  using Type = double;
};

template <class V>
struct Payload : AnyPayload {
  const V* data;
  SVM_MEMBER explicit Payload(const PayloadView& view)
      : AnyPayload(view), data(static_cast<const V*>(view.data)) {}
  SVM_MEMBER typename Computed<V>::Type operator[](u32 row) const { return data[row]; }
};

struct CodePayload : AnyPayload {
  const u32* data;
  const Text* texts;
  SVM_MEMBER explicit CodePayload(const PayloadView& view)
      : AnyPayload(view), data(static_cast<const u32*>(view.data)), texts(view.texts) {}
  SVM_MEMBER u32 code(u32 row) const { return data[row]; }
  SVM_MEMBER Text operator[](u32 row) const { return texts[data[row]]; }
};

struct TextPayload : AnyPayload {
  const Text* data;
  SVM_MEMBER explicit TextPayload(const PayloadView& view)
      : AnyPayload(view), data(static_cast<const Text*>(view.data)) {}
  SVM_MEMBER Text operator[](u32 row) const { return data[row]; }
};

// Of a build side where some rows have no match, which is row kNoRow and reads as null.
template <class P>
struct OuterPayload {
  P matched;
  SVM_MEMBER explicit OuterPayload(const PayloadView& view) : matched(view) {}
  SVM_MEMBER bool valid(u32 row) const { return row != kNoRow && matched.valid(row); }
  SVM_MEMBER u32 code(u32 row) const { return row != kNoRow ? matched.code(row) : 0; }
  SVM_MEMBER auto operator[](u32 row) const {
    return row != kNoRow ? matched[row] : decltype(matched[row]){};
  }
};

}  // namespace shadowvm::kernels
