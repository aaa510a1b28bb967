// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/memory/budget.h"
#include "engine/storage/data_file.h"
#include "engine/storage/file_set.h"
#include "engine/storage/page_index.h"
#include "engine/storage/table_column.h"
#include "engine/storage/value_writer.h"

namespace shadowvm::storage {

// The rows of each part of a segment that are to be read, counted from the start of its row group.
using LiveParts = std::vector<RowRanges>;

// A condition on a column: min <= value <= max.
struct ColumnFilter {
  const TableColumn* column = nullptr;
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};

LiveParts AllLive(const FileSegment& segment);
// By the statistics of row groups and pages: rows that may meet every filter.
base::Result<LiveParts> FindLive(const DataFile& file, const FileSet& files, int segment,
                                 std::span<const ColumnFilter> filters);
// The same as row ranges of the segment; {{0, 0}} when nothing is live.
RowRanges ToSegmentRows(const FileSegment& segment, const LiveParts& live);

// What to read.
struct ColumnRequest {
  int segment = 0;
  columns::Layout layout;
  InternFunction intern;  // kCodes only
  bool verify_checksums = true;
};

// Decodes one column of one segment. The rows that are not live hold nothing. 'file' may be null
// where it does not hold the column.
base::Result<std::shared_ptr<const columns::ColumnSegment>> ReadColumn(
    const DataFile* file, const FileSet& files, const TableColumn& column,
    const ColumnRequest& request, const LiveParts& live, memory::MemoryBudget* budget);

}  // namespace shadowvm::storage
