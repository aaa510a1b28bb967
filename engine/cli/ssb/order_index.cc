// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/order_index.h"

#include <algorithm>

#include "engine/cli/ssb/streams.h"

namespace shadowvm::cli::ssb {

OrderIndex::OrderIndex(uint64_t seed, int64_t num_orders) : lines_(seed, streams::kOrderLines) {
  for (int64_t order = 0; order < num_orders; ++order) {
    if (order % kBlockOrders == 0) first_rows_.push_back(num_rows_);
    num_rows_ += num_lines(order);
  }
}

OrderIndex::Position OrderIndex::Find(int64_t row) const {
  const auto after = std::upper_bound(first_rows_.begin(), first_rows_.end(), row);
  const int64_t block = (after - first_rows_.begin()) - 1;
  Position position{block * kBlockOrders, 0};
  int64_t left = row - first_rows_[block];
  while (left >= num_lines(position.order)) left -= num_lines(position.order++);
  position.line = static_cast<int>(left);
  return position;
}

}  // namespace shadowvm::cli::ssb
