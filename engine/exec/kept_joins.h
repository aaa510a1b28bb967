// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/exec/state/group_codes.h"
#include "engine/exec/state/join_table.h"

namespace shadowvm::exec {

// What queries have made of a build side that is kept between them: tables to probe, and codes to
// group by. The same question asks for the same ones. Thread-safe; what it gives out is not changed
// any more.
class KeptJoins {
 public:
  using Table = std::shared_ptr<JoinTable>;
  using Codes = std::shared_ptr<const GroupCodes>;

  // Null if there is none. 'code_columns' are those whose group codes are in the table.
  Table FindTable(const JoinTableOptions& options, const std::vector<int>& code_columns) const;
  // Unless another query has just made the same one.
  void KeepTable(const JoinTableOptions& options, const std::vector<int>& code_columns,
                 Table table);
  // Of all tables, what they share counted once.
  int64_t table_bytes() const { return table_bytes_.load(std::memory_order_relaxed); }

  Codes FindCodes(const std::vector<int>& columns) const;
  void KeepCodes(const std::vector<int>& columns, Codes codes);

  void Clear();

 private:
  // The oldest goes when there are more of either.
  static constexpr size_t kMost = 8;

  struct KeptTable {
    JoinTableOptions options;
    std::vector<int> code_columns;
    Table table;
  };
  struct KeptCodes {
    std::vector<int> columns;
    Codes codes;
  };

  Table FindLocked(const JoinTableOptions& options, const std::vector<int>& code_columns) const;
  void CountBytesLocked();

  mutable std::mutex mutex_;
  std::atomic<int64_t> table_bytes_{0};
  std::vector<KeptTable> tables_;
  std::vector<KeptCodes> codes_;
};

}  // namespace shadowvm::exec
