// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <vector>

#include "engine/cli/ssb/random.h"

namespace shadowvm::cli::ssb {

// Finds the order a lineorder row belongs to. An order has one to seven rows, drawn at random, so
// the way from row to order is a prefix sum: kept for every 4,096th order, and walked from there.
class OrderIndex {
 public:
  struct Position {
    int64_t order = 0;
    int line = 0;  // of that order, from 0
  };

  OrderIndex(uint64_t seed, int64_t num_orders);

  int64_t num_rows() const { return num_rows_; }
  int num_lines(int64_t order) const { return lines_.Uniform(order, 1, kMaxLines); }
  Position Find(int64_t row) const;

  static constexpr int kMaxLines = 7;

 private:
  static constexpr int64_t kBlockOrders = 4096;
  RandomStream lines_;
  std::vector<int64_t> first_rows_;  // of each block of orders
  int64_t num_rows_ = 0;
};

}  // namespace shadowvm::cli::ssb
