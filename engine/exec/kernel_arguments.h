// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/columns/dictionary.h"
#include "engine/columns/table.h"
#include "engine/exec/state/join_table.h"
#include "engine/exec/value_range.h"
#include "engine/vkernel/render/arguments.h"

namespace shadowvm::exec {

// Literals and lists as kernels take them; strings point into this object.
class LiteralArguments {
 public:
  explicit LiteralArguments(const vkernel::Arguments& arguments);
  LiteralArguments(const LiteralArguments&) = delete;
  LiteralArguments& operator=(const LiteralArguments&) = delete;

  const kernels::LiteralView* literals() const { return literals_.data(); }
  const kernels::ListView* lists() const { return lists_.data(); }
  size_t num_literals() const { return literals_.size(); }
  bool is_text(size_t literal) const { return is_text_[literal]; }
  size_t num_lists() const { return lists_.size(); }

 private:
  kernels::Text Keep(const std::string& text);
  kernels::ListView MakeList(const vkernel::ListArgument& list);

  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> integers_;
  std::deque<std::vector<double>> reals_;
  std::deque<std::vector<kernels::Text>> text_lists_;
  std::vector<kernels::LiteralView> literals_;
  std::vector<bool> is_text_;  // of literals
  std::vector<kernels::ListView> lists_;
};

// A predicate on a coded column, evaluated once per dictionary entry and kept up with a growing
// dictionary. Thread-safe.
class DictionaryPredicate {
 public:
  using Bytes = std::shared_ptr<const std::vector<uint8_t>>;

  // 'predicate' reads the column as column 0.
  DictionaryPredicate(std::shared_ptr<columns::Dictionary> dictionary,
                      plan::ExpressionPtr predicate)
      : dictionary_(std::move(dictionary)), predicate_(std::move(predicate)) {}

  // One byte, 0 or 1, for at least every entry there is now.
  base::Result<Bytes> Evaluate();
  // The share of entries that pass.
  double selectivity() const;

 private:
  std::shared_ptr<columns::Dictionary> dictionary_;
  plan::ExpressionPtr predicate_;
  mutable std::mutex mutex_;
  Bytes bytes_;
  int64_t num_passing_ = 0;
};

}  // namespace shadowvm::exec
