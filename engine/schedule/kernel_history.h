// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/status.h"
#include "engine/schedule/side.h"

namespace shadowvm::schedule {

// How fast each side was at kernels that ran before, by the kernel's shape: its text, which holds
// no constants, and where its rows were. The feature vectors of the apriori policy. Thread-safe.
class KernelHistory {
 public:
  // Shapes that are remembered; the one that was not asked for longest goes first.
  static constexpr size_t kMostShapes = 4096;

  static uint64_t ShapeOf(std::string_view text, std::string_view place);

  // Rows a millisecond and lane; 0: that side never ran it.
  BySide<double> Find(uint64_t shape);
  // Later runs count as much as all before them together, for machines change.
  void Record(uint64_t shape, Side side, double rows_per_ms);

  // As a small text file, so that a new process knows what an old one has learned. A file that is
  // not there or makes no sense is as good as none; it is replaced as a whole.
  void Load(const std::string& path);
  base::Status Save(const std::string& path) const;

 private:
  struct Entry {
    BySide<double> rows_per_ms;
    uint64_t used = 0;
  };
  Entry& Touch(uint64_t shape);

  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> entries_;
  uint64_t clock_ = 0;
};

}  // namespace shadowvm::schedule
