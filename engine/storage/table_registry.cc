// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/table_registry.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/storage/file_identity.h"

namespace shadowvm::storage {
namespace {

constexpr size_t kMaxTables = 1024;

// The footer of 'path' if the table knows that very file.
std::shared_ptr<const ParquetFooter> KnownFooter(const TableContents* table,
                                                 const std::string& path,
                                                 const FileIdentity& identity) {
  if (table == nullptr) return nullptr;
  for (const auto& footer : table->files().files) {
    if (footer->path == path && footer->identity == identity) return footer;
  }
  return nullptr;
}

std::string NameOf(const std::string& path) {
  const std::filesystem::path full(path);
  const auto last = full.has_filename() ? full : full.parent_path();
  return last.stem().string();
}

}  // namespace

std::shared_ptr<TableContents> TableRegistry::Find(const Paths& paths) {
  std::lock_guard lock(mutex_);
  const auto found = tables_.find(paths);
  if (found == tables_.end()) return nullptr;
  found->second.last_use = ++uses_;
  return found->second.contents;
}

void TableRegistry::Remember(const Paths& paths, std::shared_ptr<TableContents> contents) {
  std::lock_guard lock(mutex_);
  tables_[paths] = {std::move(contents), ++uses_};
  if (tables_.size() <= kMaxTables) return;
  tables_.erase(std::min_element(tables_.begin(), tables_.end(), [](const auto& a, const auto& b) {
    return a.second.last_use < b.second.last_use;
  }));
}

base::Result<std::shared_ptr<ParquetTable>> TableRegistry::Open(
    std::span<const std::string> paths) {
  const Paths key(paths.begin(), paths.end());
  SVM_ASSIGN_OR_RETURN(const auto listed, ListFiles(paths));
  const std::shared_ptr<TableContents> known = Find(key);
  Footers footers;
  for (const ListedFile& file : listed) {
    SVM_ASSIGN_OR_RETURN(const FileIdentity identity, FileIdentity::Of(file.path));
    auto footer = KnownFooter(known.get(), file.path, identity);
    if (footer == nullptr) {
      SVM_ASSIGN_OR_RETURN(footer, ParquetFooter::Read(file.path));
    }
    footers.push_back(std::move(footer));
  }
  const std::string name = NameOf(key.front());
  if (known != nullptr && known->files().files == footers) {
    return std::make_shared<ParquetTable>(name, known);
  }
  SVM_ASSIGN_OR_RETURN(auto files,
                       ParquetFiles::Make(std::move(footers), PartitionColumns(listed)));
  auto contents = std::make_shared<TableContents>(std::move(files), context_);
  Remember(key, contents);
  return std::make_shared<ParquetTable>(name, std::move(contents));
}

void TableRegistry::Clear() {
  std::lock_guard lock(mutex_);
  tables_.clear();
}

}  // namespace shadowvm::storage
