// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/kept_joins.h"

#include <set>
#include <utility>

namespace shadowvm::exec {
namespace {

bool SameZone(const std::optional<columns::Zone>& left, const std::optional<columns::Zone>& right) {
  if (!left || !right) return !left && !right;
  return left->known == right->known && left->min == right->min && left->max == right->max;
}

// What is probed matters to unchecked tables alone, which span it.
bool SameOptions(const JoinTableOptions& left, const JoinTableOptions& right) {
  const bool spans_probes = left.shape.kind == JoinShape::Kind::kDirect && !left.shape.checked;
  return left.shape == right.shape && left.keys == right.keys && left.rows == right.rows &&
         (!spans_probes || SameZone(left.probe_zone, right.probe_zone));
}

}  // namespace

KeptJoins::Table KeptJoins::FindTable(const JoinTableOptions& options,
                                      const std::vector<int>& code_columns) const {
  std::lock_guard lock(mutex_);
  return FindLocked(options, code_columns);
}

KeptJoins::Table KeptJoins::FindLocked(const JoinTableOptions& options,
                                       const std::vector<int>& code_columns) const {
  for (const KeptTable& kept : tables_) {
    if (kept.code_columns == code_columns && SameOptions(kept.options, options)) return kept.table;
  }
  return nullptr;
}

void KeptJoins::KeepTable(const JoinTableOptions& options, const std::vector<int>& code_columns,
                          Table table) {
  std::lock_guard lock(mutex_);
  if (FindLocked(options, code_columns) != nullptr) return;
  if (tables_.size() == kMost) tables_.erase(tables_.begin());
  tables_.push_back({options, code_columns, std::move(table)});
  CountBytesLocked();
}

void KeptJoins::CountBytesLocked() {
  std::set<std::shared_ptr<memory::Buffer>> all;
  for (const KeptTable& kept : tables_) {
    for (const auto& buffer : kept.table->buffers()) all.insert(buffer);
  }
  int64_t bytes = 0;
  for (const auto& buffer : all) bytes += buffer->size();
  table_bytes_ = bytes;
}

KeptJoins::Codes KeptJoins::FindCodes(const std::vector<int>& columns) const {
  std::lock_guard lock(mutex_);
  for (const KeptCodes& kept : codes_) {
    if (kept.columns == columns) return kept.codes;
  }
  return nullptr;
}

void KeptJoins::KeepCodes(const std::vector<int>& columns, Codes codes) {
  std::lock_guard lock(mutex_);
  if (codes_.size() == kMost) codes_.erase(codes_.begin());
  codes_.push_back({columns, std::move(codes)});
}

void KeptJoins::Clear() {
  std::lock_guard lock(mutex_);
  tables_.clear();
  codes_.clear();
  CountBytesLocked();
}

}  // namespace shadowvm::exec
