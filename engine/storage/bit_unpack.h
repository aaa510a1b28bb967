// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

namespace shadowvm::storage {

inline constexpr int kUnpackBlock = 32;

// Unpacks kUnpackBlock values of 'bit_width' (0 to 32) bits, lowest bit first. Reads 4 * bit_width
// bytes and at most kUnpackSlack beyond them.
inline constexpr int kUnpackSlack = 8;
using UnpackFunction = void (*)(const uint8_t* in, uint32_t* out);
UnpackFunction UnpackerFor(int bit_width);

}  // namespace shadowvm::storage
