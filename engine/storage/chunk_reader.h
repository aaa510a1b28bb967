// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

#include "engine/base/status.h"
#include "engine/memory/budget.h"
#include "engine/storage/data_file.h"
#include "engine/storage/page_index.h"
#include "engine/storage/parquet_footer.h"
#include "engine/storage/segment_fill.h"
#include "engine/storage/value_writer.h"

namespace shadowvm::storage {

// A piece of a column chunk that is to become a piece of a segment.
struct ChunkPiece {
  int row_group = 0;
  int column = 0;         // ordinal in the footer
  int64_t first_row = 0;  // of the row group: goes to 'row' of the segment
  int64_t row = 0;
  RowRanges wanted;  // rows of the row group, all from first_row on
  bool verify_checksums = true;
};

// Reads the bytes of the pages that hold wanted rows, in as few reads as there are runs of them,
// and decodes those pages into 'fill'. Errors name file, column and row group.
base::Status ReadChunk(const DataFile& file, const ParquetFooter& footer, const ChunkPiece& piece,
                       memory::MemoryBudget* budget, ValueWriter* writer, SegmentFill* fill);

}  // namespace shadowvm::storage
