// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <string>
#include <vector>

#include "engine/columns/segment.h"
#include "engine/columns/type.h"
#include "engine/storage/file_set.h"
#include "engine/storage/partition_value.h"

namespace shadowvm::storage {

// Where the values of a column come from, and what they become. Two columns of one origin hold the
// same values in the same form, whatever their names.
struct ColumnOrigin {
  columns::Type type;
  std::vector<int> in_file;            // data: ordinal in each file's footer; -1: the file lacks it
  std::vector<PartitionValue> values;  // partition: one per file

  bool is_partition() const { return !values.empty(); }
  bool LiesIn(int file) const { return !is_partition() && in_file[file] >= 0; }
  bool operator==(const ColumnOrigin&) const = default;
};

// The columns of a table, as a scan names them.
struct BoundColumns {
  columns::Schema schema;
  std::vector<ColumnOrigin> origins;  // one per field
};

// A column of a set of files: what is known of it without reading data. Immutable.
struct TableColumn {
  ColumnOrigin origin;
  std::vector<columns::Zone> zones;  // by segment, claimed by footers
  columns::Zone zone;                // of the table
  columns::Layout layout;            // strings: encoding still open

  TableColumn(const FileSet& files, ColumnOrigin from);
  // What a segment's values are checked against: its zone, or all its type can hold.
  columns::Zone frame(int segment) const;
};

}  // namespace shadowvm::storage
