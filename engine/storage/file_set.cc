// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/file_set.h"

#include <algorithm>
#include <utility>

#include "engine/columns/segment.h"

namespace shadowvm::storage {
namespace {

using columns::kSegmentRows;

void AddSegments(const ParquetFooter& file, int ordinal, std::vector<FileSegment>* segments) {
  FileSegment open{ordinal, 0, {}};
  const auto close = [&] {
    if (open.num_rows > 0) segments->push_back(std::exchange(open, FileSegment{ordinal, 0, {}}));
  };
  for (size_t g = 0; g < file.row_group_rows.size(); ++g) {
    const int64_t rows = file.row_group_rows[g];
    if (open.num_rows + rows > kSegmentRows) close();
    for (int64_t at = 0; at < rows; at += kSegmentRows) {
      const int64_t taken = std::min(kSegmentRows, rows - at);
      open.parts.push_back({static_cast<int>(g), at, taken});
      open.num_rows += taken;
      if (open.num_rows == kSegmentRows) close();
    }
    // What is left of a split row group stays alone: reading it must not touch the next one's
    // pages.
    if (rows > kSegmentRows) close();
  }
  close();
}

}  // namespace

FileSet::FileSet(Footers footers) : files(std::move(footers)) {
  for (size_t i = 0; i < files.size(); ++i) {
    AddSegments(*files[i], static_cast<int>(i), &segments);
  }
}

}  // namespace shadowvm::storage
