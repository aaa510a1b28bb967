// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/scale.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace shadowvm::cli::ssb {
namespace {

int64_t Scaled(double per_unit, double factor, int64_t floor) {
  return std::max(floor, static_cast<int64_t>(std::llround(per_unit * factor)));
}

}  // namespace

base::Result<Scale> MakeScale(double factor, uint64_t seed) {
  if (!(factor >= kMinFactor && factor <= kMaxFactor)) {
    return base::MakeError(base::ErrorCode::kUnsupported, "scale factor " + std::to_string(factor) +
                                                              ": choose one from 0.0001 to 300");
  }
  Scale scale;
  scale.factor = factor;
  scale.seed = seed;
  scale.num_orders = Scaled(1'500'000, factor, 150);
  scale.num_customers = Scaled(30'000, factor, 100);
  scale.num_suppliers = Scaled(2'000, factor, 20);
  scale.num_parts = factor < 1
                        ? Scaled(200'000, factor, 500)
                        : 200'000 * (1 + static_cast<int64_t>(std::floor(std::log2(factor))));
  return scale;
}

}  // namespace shadowvm::cli::ssb
