// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/storage/parquet_table.h"

namespace shadowvm::storage {

// The tables an engine has opened, by path. A second query over unchanged files finds footers,
// dictionaries and cached segments as the first left them; every Open looks at each file's identity
// again. Thread-safe.
class TableRegistry {
 public:
  explicit TableRegistry(const StorageContext& context) : context_(context) {}

  // Errors as of ListFiles, ParquetFooter::Read and ParquetFiles::Make.
  base::Result<std::shared_ptr<ParquetTable>> Open(std::span<const std::string> paths);

  // Forgets every table; those that queries hold live on.
  void Clear();

 private:
  struct Known {
    std::shared_ptr<TableContents> contents;
    uint64_t last_use = 0;
  };
  using Footers = std::vector<std::shared_ptr<const ParquetFooter>>;
  using Paths = std::vector<std::string>;

  std::shared_ptr<TableContents> Find(const Paths& paths);
  void Remember(const Paths& paths, std::shared_ptr<TableContents> contents);

  StorageContext context_;
  std::mutex mutex_;
  std::map<Paths, Known> tables_;
  uint64_t uses_ = 0;
};

}  // namespace shadowvm::storage
