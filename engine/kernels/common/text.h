// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// A string as kernels see it: 16 bytes, not owning. Freestanding: no standard header.
namespace shadowvm::kernels {

struct Text {
  const char* data;
  unsigned int size;
  unsigned int prefix;  // the first four bytes, zero-padded, in memory order
};

}  // namespace shadowvm::kernels
