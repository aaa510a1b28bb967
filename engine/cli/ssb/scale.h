// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

#include "engine/base/status.h"

namespace shadowvm::cli::ssb {

// How much data: the row counts of one scale factor. A factor of 1 is about 6 million lineorder
// rows.
struct Scale {
  double factor = 1;
  uint64_t seed = 1;
  int64_t num_orders = 0;  // of one to seven lineorder rows each
  int64_t num_customers = 0;
  int64_t num_suppliers = 0;
  int64_t num_parts = 0;
};

// Order keys are int32 and sparse (8 of 32 are used), so factors end at kMaxFactor.
inline constexpr double kMinFactor = 0.0001;
inline constexpr double kMaxFactor = 300;

// The specification's counts. Parts grow with the logarithm of the factor; below 1, which the
// specification leaves open, every table shrinks with the factor down to a floor that keeps all
// words of the word lists in use.
base::Result<Scale> MakeScale(double factor, uint64_t seed);

}  // namespace shadowvm::cli::ssb
