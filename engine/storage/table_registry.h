// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/status.h"
#include "engine/storage/file_list.h"
#include "engine/storage/parquet_table.h"

namespace shadowvm::storage {

// The sets of files an engine has opened. A second query over the same unchanged files finds
// footers, dictionaries and cached segments as the first left them, whichever way it names the
// files and whichever columns it reads; every Open looks at each file's identity again.
// Thread-safe.
class TableRegistry {
 public:
  explicit TableRegistry(const StorageContext& context) : context_(context) {}

  // Errors as of ListFiles, ParquetFooter::Read and MergeColumns.
  base::Result<std::shared_ptr<ParquetTable>> Open(std::span<const std::string> paths);
  // Also kFileMissing and kFileChanged where a file is not as the planner saw it, and errors as of
  // BindColumns. Rows come in the order of paths, so that every planner's order is the same table.
  base::Result<std::shared_ptr<ParquetTable>> Open(const FileList& list);
  // Forgets every table; those that queries hold live on.
  void Clear();

 private:
  struct Known {
    std::shared_ptr<TableContents> contents;
    uint64_t last_use = 0;
  };
  using Paths = std::vector<std::string>;

  // Of the file as it is now.
  base::Result<std::shared_ptr<const ParquetFooter>> FooterOf(const std::string& path,
                                                              const FileIdentity& identity);
  // The contents of these very files, made when there are none.
  std::shared_ptr<TableContents> ContentsOf(Footers footers);

  StorageContext context_;
  std::mutex mutex_;
  std::map<Paths, Known> tables_;
  uint64_t uses_ = 0;
  // Footers live as long as a table that needs them.
  std::unordered_map<std::string, std::weak_ptr<const ParquetFooter>> footers_;
};

}  // namespace shadowvm::storage
