// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

#include "engine/columns/type.h"

namespace shadowvm::exec {

// Calls function(T{}) with the signed integer of 'width' bytes, so that loops over integer columns
// are written once and compiled for each width.
template <typename Function>
auto DispatchInteger(int width, Function&& function) {
  switch (width) {
    case 1:
      return function(int8_t{});
    case 2:
      return function(int16_t{});
    case 4:
      return function(int32_t{});
    default:
      return function(int64_t{});
  }
}

// Calls function(T{}) with an unsigned integer of 'width' bytes, 16 included: for moving values
// whatever they mean.
template <typename Function>
auto DispatchWidth(int width, Function&& function) {
  switch (width) {
    case 1:
      return function(uint8_t{});
    case 2:
      return function(uint16_t{});
    case 4:
      return function(uint32_t{});
    case 8:
      return function(uint64_t{});
    default:
      return function(static_cast<unsigned __int128>(0));
  }
}

}  // namespace shadowvm::exec
