// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

// The number of every random stream. A number never changes: the data of a seed would change with
// it.
namespace shadowvm::cli::ssb::streams {

inline constexpr uint64_t kCustomerPlace = 1;
inline constexpr uint64_t kCustomerText = 2;
inline constexpr uint64_t kCustomerSegment = 3;
inline constexpr uint64_t kSupplierPlace = 10;
inline constexpr uint64_t kSupplierText = 11;
inline constexpr uint64_t kPartName = 20;
inline constexpr uint64_t kPartBrand = 21;
inline constexpr uint64_t kPartColour = 22;
inline constexpr uint64_t kPartType = 23;
inline constexpr uint64_t kPartSize = 24;
inline constexpr uint64_t kPartContainer = 25;
inline constexpr uint64_t kOrderLines = 30;
inline constexpr uint64_t kOrderCustomer = 31;
inline constexpr uint64_t kOrderDate = 32;
inline constexpr uint64_t kOrderPriority = 33;
inline constexpr uint64_t kLinePart = 40;
inline constexpr uint64_t kLineSupplier = 41;
inline constexpr uint64_t kLineQuantity = 42;
inline constexpr uint64_t kLineDiscount = 43;
inline constexpr uint64_t kLineTax = 44;
inline constexpr uint64_t kLineCommit = 45;
inline constexpr uint64_t kLineShipMode = 46;

}  // namespace shadowvm::cli::ssb::streams
