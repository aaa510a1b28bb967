// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/schedule/side.h"

namespace shadowvm::schedule {

// How fast each side was at kernels that ran before, by the kernel's shape: its text, which holds
// no constants, and where its rows were. The feature vectors of the apriori policy. Thread-safe.
class KernelHistory {
 public:
  // Shapes that are remembered; the one that was not asked for longest goes first.
  static constexpr size_t kMostShapes = 4096;

  // The same in every process.
  static uint64_t ShapeOf(std::string_view text);
  static uint64_t ShapeOf(std::string_view text, std::string_view place) {
    return At(ShapeOf(text), place);
  }
  // A kernel's shape, where its rows are at a place.
  static uint64_t At(uint64_t kernel, std::string_view place);

  // Rows a millisecond and lane; 0: that side never ran it.
  BySide<double> Find(uint64_t shape);
  // Later runs count as much as all before them together, for machines change.
  void Record(uint64_t shape, Side side, double rows_per_ms);

  // As a small text file, so that a new process knows what an old one has learned, and processes at
  // the same time what the others have. Of a shape that both know the newer speeds hold. A file
  // that is not there or makes no sense is as good as none.
  void Load(const std::string& path);
  // Whether there is anything to save.
  bool has_news() const;
  // Takes in what others have saved meanwhile, and replaces the file as a whole.
  base::Status Save(const std::string& path);

 private:
  struct Entry {
    BySide<double> rows_per_ms;
    uint64_t used = 0;     // 0: never, by this process
    int64_t saved_at = 0;  // in milliseconds since 1970, by who recorded it
    bool is_new = false;   // recorded since it was saved
  };
  using Entries = std::vector<std::pair<uint64_t, Entry>>;
  Entry& Touch(uint64_t shape);
  void Merge(uint64_t shape, const Entry& saved);
  // All there is, to be saved now.
  Entries TakeNews(int64_t now);

  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, Entry> entries_;
  uint64_t clock_ = 0;
  bool has_news_ = false;
};

}  // namespace shadowvm::schedule
