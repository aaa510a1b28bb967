// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/status.h"
#include "engine/columns/segment.h"
#include "engine/memory/budget.h"
#include "engine/storage/definition_levels.h"
#include "engine/storage/value_writer.h"

namespace shadowvm::storage {

// A column segment while it is filled, page after page, in order of rows.
class SegmentFill {
 public:
  // 'partial': some rows will be left out and must read as nothing.
  static base::Result<SegmentFill> Make(const columns::Layout& layout, const columns::Zone& zone,
                                        int64_t num_rows, bool partial,
                                        memory::MemoryBudget* budget);

  // Where the value of a row goes; not for text.
  uint8_t* at(int64_t row) { return segment_->data->data() + row * layout_.width; }
  const columns::Layout& layout() const { return layout_; }

  // Text of the rows from 'row' on; rows skipped since the last call are empty.
  base::Status AppendTexts(int64_t row, std::span<const TextView> texts);
  // Marks the rows of a page that have no value: rows [skip, skip + count) of 'validity' go to
  // 'row' on.
  base::Status AddValidity(int64_t row, const PageValidity& validity, int64_t skip, int64_t count);
  // 'count' rows from 'row' on are null and hold nothing.
  base::Status AddNulls(int64_t row, int64_t count);

  base::Result<std::shared_ptr<const columns::ColumnSegment>> Finish();

 private:
  SegmentFill(const columns::Layout& layout, memory::MemoryBudget* budget)
      : layout_(layout), budget_(budget) {}
  base::Status NeedValidity();
  base::Status ReserveText(int64_t bytes);
  void PadOffsets(int64_t row);

  columns::Layout layout_;
  memory::MemoryBudget* budget_;
  std::shared_ptr<columns::ColumnSegment> segment_;
  int64_t text_rows_ = 0;
  int64_t text_bytes_ = 0;
  int64_t num_nulls_ = 0;
};

}  // namespace shadowvm::storage
