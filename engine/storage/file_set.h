// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

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

using Footers = std::vector<std::shared_ptr<const ParquetFooter>>;

// Some files in order, and their rows cut into segments. Immutable.
struct FileSet {
  explicit FileSet(Footers footers);

  Footers files;
  std::vector<FileSegment> segments;
};

}  // namespace shadowvm::storage
