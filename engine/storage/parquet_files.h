// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/storage/file_listing.h"
#include "engine/storage/parquet_footer.h"

namespace shadowvm::storage {

// Rows [first_row, first_row + num_rows) of a row group.
struct RowGroupPart {
  int row_group = 0;
  int64_t first_row = 0;
  int64_t num_rows = 0;
};

// A segment lies in one file: small row groups are packed together, large ones split.
struct FileSegment {
  int file = 0;
  int64_t num_rows = 0;
  std::vector<RowGroupPart> parts;
};

// A column of the table as its files hold it.
struct TableColumn {
  columns::Field field;
  std::vector<int> in_file;          // ordinal in each file's footer; -1: the file lacks it
  int partition = -1;                // ordinal among the partition columns, or -1
  std::vector<columns::Zone> zones;  // by segment, claimed by footers
  columns::Zone zone;                // of the table
  columns::Layout layout;            // strings: encoding still open
  // What a segment's values are checked against: its zone, or all its type can hold.
  columns::Zone frame(int segment) const;
};

// What is known of a set of files without reading data: one schema, the cut into segments, zones
// and widths. Immutable.
struct ParquetFiles {
  std::vector<std::shared_ptr<const ParquetFooter>> files;
  std::vector<PartitionColumn> partitions;
  std::vector<FileSegment> segments;
  std::vector<TableColumn> columns;
  columns::Schema schema;

  // kSchemaMismatch naming file and column when files disagree; kUnsupportedType when no column is
  // left.
  static base::Result<std::shared_ptr<const ParquetFiles>> Make(
      std::vector<std::shared_ptr<const ParquetFooter>> files,
      std::vector<PartitionColumn> partitions);
};

}  // namespace shadowvm::storage
