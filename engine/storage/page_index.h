// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/storage/data_file.h"
#include "engine/storage/parquet_footer.h"

namespace shadowvm::storage {

// Row ranges [begin, end), ascending and apart.
using RowRanges = std::vector<std::pair<int64_t, int64_t>>;

RowRanges Intersect(const RowRanges& a, const RowRanges& b);
bool Overlaps(const RowRanges& ranges, int64_t begin, int64_t end);
int64_t CountRows(const RowRanges& ranges);

// Where the data pages of a column chunk lie.
struct PagePlace {
  int64_t offset = 0;
  int64_t length = 0;
  int64_t first_row = 0;
  int64_t num_rows = 0;
};

// From the file's page index. Absent when it has none, or one that contradicts the footer: the
// whole chunk is then read.
base::Result<std::optional<std::vector<PagePlace>>> ReadPagePlaces(const DataFile& file,
                                                                   const ParquetFooter& footer,
                                                                   int row_group, int column);

// The rows of a row group whose pages may hold a value in [min, max], by the page index.
base::Result<RowRanges> ReadLiveRows(const DataFile& file, const ParquetFooter& footer,
                                     int row_group, int column, int64_t min, int64_t max);

}  // namespace shadowvm::storage
