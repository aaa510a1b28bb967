// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/table_registry.h"

#include <algorithm>
#include <utility>

#include "engine/storage/file_identity.h"
#include "engine/storage/file_listing.h"
#include "engine/storage/listed_columns.h"
#include "engine/storage/merged_columns.h"
#include "engine/storage/table_name.h"

namespace shadowvm::storage {
namespace {

constexpr size_t kMaxTables = 1024;
constexpr size_t kMaxFooters = 1 << 16;
// Columns under ever other types and partition values would otherwise add up for ever.
constexpr int kMaxColumns = 100'000;

bool SameFiles(const Footers& a, const Footers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x == y || (x->path == y->path && x->identity == y->identity);
  });
}

base::Status CheckSeen(const SeenFile& seen, const FileIdentity& identity) {
  if (identity.size != seen.size) {
    return base::MakeError(base::ErrorCode::kFileChanged,
                           seen.path + " has " + std::to_string(identity.size) + " bytes; it had " +
                               std::to_string(seen.size) + " when the query was planned");
  }
  const int64_t modified_ms = identity.mtime_ns / 1'000'000;
  if (seen.modified_ms != 0 && modified_ms != seen.modified_ms) {
    return base::MakeError(base::ErrorCode::kFileChanged,
                           seen.path + " was written after the query was planned");
  }
  return base::Status::OK();
}

// As a walk through sorted folders meets them.
bool LiesBefore(const std::string& a, const std::string& b) {
  const auto key = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return key(x) < key(y); });
}

FileList Sorted(const FileList& list) {
  std::vector<size_t> order(list.files.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return LiesBefore(list.files[a].path, list.files[b].path);
  });
  FileList sorted{{}, list.data, {}, list.case_sensitive};
  for (const size_t i : order) sorted.files.push_back(list.files[i]);
  for (const PartitionColumn& partition : list.partitions) {
    PartitionColumn& column = sorted.partitions.emplace_back();
    column.field = partition.field;
    for (const size_t i : order) column.values.push_back(partition.values[i]);
  }
  return sorted;
}

}  // namespace

base::Result<std::shared_ptr<const ParquetFooter>> TableRegistry::FooterOf(
    const std::string& path, const FileIdentity& identity) {
  {
    std::lock_guard lock(mutex_);
    const auto found = footers_.find(path);
    const auto footer = found == footers_.end() ? nullptr : found->second.lock();
    if (footer != nullptr && footer->identity == identity) return footer;
  }
  SVM_ASSIGN_OR_RETURN(auto footer, ParquetFooter::Read(path));
  std::lock_guard lock(mutex_);
  if (footers_.size() >= kMaxFooters) {
    std::erase_if(footers_, [](const auto& entry) { return entry.second.expired(); });
  }
  footers_[path] = footer;
  return footer;
}

std::shared_ptr<TableContents> TableRegistry::ContentsOf(Footers footers) {
  Paths paths;
  for (const auto& footer : footers) paths.push_back(footer->path);
  std::shared_ptr<TableContents> replaced;  // freed after the lock
  std::lock_guard lock(mutex_);
  Known& known = tables_[std::move(paths)];
  known.last_use = ++uses_;
  const bool same = known.contents != nullptr &&
                    SameFiles(known.contents->files().files, footers) &&
                    known.contents->num_columns() < kMaxColumns;
  if (same) return known.contents;
  replaced = std::move(known.contents);
  const auto contents = std::make_shared<TableContents>(std::move(footers), context_);
  known.contents = contents;
  if (tables_.size() > kMaxTables) {
    const auto oldest = std::min_element(
        tables_.begin(), tables_.end(),
        [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; });
    replaced = std::move(oldest->second.contents);
    tables_.erase(oldest);
  }
  return contents;
}

base::Result<std::shared_ptr<ParquetTable>> TableRegistry::Open(
    std::span<const std::string> paths) {
  SVM_ASSIGN_OR_RETURN(const auto listed, ListFiles(paths));
  Footers footers;
  for (const ListedFile& file : listed) {
    SVM_ASSIGN_OR_RETURN(const FileIdentity identity, FileIdentity::Of(file.path));
    SVM_ASSIGN_OR_RETURN(auto footer, FooterOf(file.path, identity));
    footers.push_back(std::move(footer));
  }
  const auto contents = ContentsOf(std::move(footers));
  SVM_ASSIGN_OR_RETURN(auto columns, MergeColumns(contents->files(), PartitionColumns(listed)));
  return std::make_shared<ParquetTable>(TableName(paths[0]), contents, std::move(columns));
}

base::Result<std::shared_ptr<ParquetTable>> TableRegistry::Open(const FileList& list) {
  const FileList sorted = Sorted(list);
  Footers footers;
  for (const SeenFile& file : sorted.files) {
    // A changed file may well be broken: that it changed is the better news.
    SVM_ASSIGN_OR_RETURN(const FileIdentity identity, FileIdentity::Of(file.path));
    SVM_RETURN_NOT_OK(CheckSeen(file, identity));
    SVM_ASSIGN_OR_RETURN(auto footer, FooterOf(file.path, identity));
    SVM_RETURN_NOT_OK(CheckSeen(file, footer->identity));
    footers.push_back(std::move(footer));
  }
  const auto contents = ContentsOf(std::move(footers));
  SVM_ASSIGN_OR_RETURN(auto columns, BindColumns(sorted, contents->files()));
  return std::make_shared<ParquetTable>(TableName(sorted.files), contents, std::move(columns));
}

void TableRegistry::Clear() {
  std::map<Paths, Known> dropped;  // freed after the lock
  std::lock_guard lock(mutex_);
  dropped.swap(tables_);
  footers_.clear();
}

}  // namespace shadowvm::storage
