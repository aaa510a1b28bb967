// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "engine/exec/state/row_set.h"

namespace shadowvm::exec {

// Build rows that are to be entered into a table by hash, and where: see kernels::HashView. Rows
// with a null in a key stay out.
struct HashFill {
  const RowSet& rows;
  std::span<const int> key_columns;
  int key_words = 0;  // of a row
  uint64_t mask = 0;
  std::shared_ptr<memory::Buffer> keys;   // their words
  std::shared_ptr<memory::Buffer> slots;  // zeros
  std::shared_ptr<memory::Buffer> next;   // null: one row of each key will do
};

// What came of it.
struct HashFilled {
  int64_t rows = 0;
  int64_t keys = 0;  // that are different
};

// Somebody who may enter them instead of cores.
class HashFiller {
 public:
  using OnCores = std::function<base::Result<HashFilled>()>;

  virtual ~HashFiller() = default;
  // Slots are zeros still where it turns to cores.
  virtual base::Result<HashFilled> Fill(const HashFill& fill, const OnCores& on_cores) = 0;
};

}  // namespace shadowvm::exec
