// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/status.h"
#include "engine/kernels/common/text.h"
#include "engine/memory/budget.h"

namespace shadowvm::columns {

// The strings of one column of one table, numbered in order of first appearance. Append-only: a
// code never changes its string, so segments encoded early stay right while later ones add entries.
// Codes carry no order; comparisons use ranks().
//
// Thread-safe. texts() is one contiguous array at an address that never moves (address space for
// kMaxEntries is reserved at once, pages are touched as entries come), so kernels may read entries
// below size() while others append.
class Dictionary {
 public:
  static constexpr uint32_t kMaxEntries = uint32_t{1} << 20;

  static base::Result<std::shared_ptr<Dictionary>> Make(memory::MemoryBudget* budget);
  ~Dictionary();
  Dictionary(const Dictionary&) = delete;
  Dictionary& operator=(const Dictionary&) = delete;

  // Codes of 'texts', new entries appended. Takes the lock once; meant to be called with a whole
  // dictionary page. kCardinality when kMaxEntries would be passed: the column is then to be laid
  // out as plain text.
  base::Result<std::vector<uint32_t>> Intern(std::span<const std::string_view> texts);

  // The code of a string that is there already, or -1.
  int64_t Find(std::string_view text) const;

  uint32_t size() const { return size_.load(std::memory_order_acquire); }
  const kernels::Text* texts() const { return texts_; }
  std::string_view at(uint32_t code) const;

  // ranks()[code]: the position of the string among size() entries in byte order. Computed for the
  // size at the time of the call and kept until the dictionary grows.
  std::shared_ptr<const std::vector<uint32_t>> ranks() const;

 private:
  explicit Dictionary(memory::MemoryBudget* budget);

  struct Storage;
  kernels::Text* texts_ = nullptr;
  std::atomic<uint32_t> size_{0};
  std::unique_ptr<Storage> storage_;
};

}  // namespace shadowvm::columns
