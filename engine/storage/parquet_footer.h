// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <parquet/metadata.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/segment.h"
#include "engine/columns/type.h"
#include "engine/storage/file_identity.h"
#include "engine/storage/physical_value.h"

namespace shadowvm::storage {

// One column of one row group, as the footer describes it. Only what was checked against the file's
// size.
struct ColumnChunk {
  int64_t offset = 0;  // of its first page, a dictionary page included
  int64_t length = 0;
  int64_t data_offset = 0;  // of its first data page
  columns::Zone zone;       // claimed, in our value domain
};

// A flat column of a type we hold.
struct FileColumn {
  std::string name;
  columns::Type type;
  bool optional = false;
  PhysicalForm form;
  int leaf = 0;  // ordinal among the file's physical columns
};

// What a Parquet file says about itself. Immutable; shared by all queries that read the file.
struct ParquetFooter {
  std::string path;
  FileIdentity identity;
  std::shared_ptr<parquet::FileMetaData> metadata;
  std::vector<FileColumn> columns;
  std::vector<std::pair<std::string, std::string>> unsupported;  // column, its type
  std::vector<int64_t> row_group_rows;
  std::vector<std::vector<ColumnChunk>> chunks;  // by row group, then as 'columns'

  int Find(const std::string& name) const;

  // kFileMissing, kReadFailed, kNotParquet, kCorruptFile; each names the file.
  static base::Result<std::shared_ptr<const ParquetFooter>> Read(const std::string& path);
};

}  // namespace shadowvm::storage
