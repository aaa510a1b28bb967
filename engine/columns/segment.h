// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>

#include "engine/columns/dictionary.h"
#include "engine/memory/buffer.h"

namespace shadowvm::columns {

inline constexpr int64_t kSegmentRows = int64_t{1} << 20;

// How a column's values lie in memory; the same in every segment of a table, because kernel text
// depends on it.
enum class Encoding : uint8_t {
  kFrame,  // value = base + unsigned offset of 1, 2, 4 or 8 bytes (a frame of reference)
  kWide,   // 16-byte two's complement, little endian
  kFloat,  // IEEE 754 of 4 or 8 bytes
  kCodes,  // 4-byte codes into the column's table dictionary
  kText,   // 4-byte offsets (rows + 1 of them) into bytes
};

struct Layout {
  Encoding encoding = Encoding::kFrame;
  uint8_t width = 8;      // bytes of one value in 'data'; of one offset for kText
  bool nullable = false;  // a validity bitmap may be there; false: never, and kernels do not look
  bool operator==(const Layout&) const = default;
};

// What is known of the values of a run of rows before they are read. min and max are in the value
// domain of framed types (ints, dates, timestamps, unscaled narrow decimals, bools as 0 and 1) and
// cover all non-null values; meaningless unless 'known'.
struct Zone {
  bool known = false;
  int64_t min = 0;
  int64_t max = 0;
  int64_t null_count = -1;  // -1: unknown

  bool Covers(int64_t value) const { return !known || (value >= min && value <= max); }
};

// One column of one segment: at most kSegmentRows rows. Immutable once shared. Every buffer is
// 64-byte aligned and padded by at least 64 readable bytes, so that a SIMD load may run past the
// end. Rows that are null hold some value that is safe to decode (an offset inside the frame, code
// 0, an empty string).
//
// Contract with kernels: each offset of a frame is <= zone.max - base, each code is < the
// dictionary's size. Whoever fills a segment has checked it, whatever the file claimed.
struct ColumnSegment {
  int64_t num_rows = 0;
  int64_t base = 0;                          // kFrame only
  std::shared_ptr<memory::Buffer> data;      // values, codes, or bytes of text
  std::shared_ptr<memory::Buffer> offsets;   // kText only
  std::shared_ptr<memory::Buffer> validity;  // LSB bitmap, 1 = valid; null: all rows valid
  Zone zone;

  int64_t bytes() const;
};

}  // namespace shadowvm::columns
