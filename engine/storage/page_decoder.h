// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <parquet/column_page.h>
#include <parquet/schema.h>

#include <cstdint>
#include <vector>

#include "engine/base/status.h"
#include "engine/storage/definition_levels.h"
#include "engine/storage/dictionary_index.h"
#include "engine/storage/segment_fill.h"
#include "engine/storage/value_writer.h"

namespace shadowvm::storage {

// Decodes the pages of one column chunk straight into a segment. The dictionary page is brought
// into its final form once (offsets of the frame, codes of the table dictionary); a data page then
// looks its indices up in that.
class PageDecoder {
 public:
  PageDecoder(const parquet::ColumnDescriptor* column, ValueWriter* writer, SegmentFill* fill)
      : column_(column), writer_(writer), fill_(fill) {}

  base::Status SetDictionary(const parquet::DictionaryPage& page);

  // Rows [skip, skip + count) of a page go to 'row' of the segment and on.
  base::Status Decode(const parquet::DataPage& page, int64_t skip, int64_t count, int64_t row);

 private:
  // The bytes of a page after its levels.
  struct Values {
    const uint8_t* data = nullptr;
    int64_t size = 0;
  };

  base::Status ReadLevels(const parquet::DataPage& page, Values* values);
  base::Status ReadLevelsV1(const parquet::DataPageV1& page, Values* values);
  base::Status ReadLevelsV2(const parquet::DataPageV2& page, Values* values);
  base::Status DecodeValues(const parquet::DataPage& page, const Values& values, uint8_t* out);

  const parquet::ColumnDescriptor* column_;
  ValueWriter* writer_;
  SegmentFill* fill_;
  PageValidity validity_;
  std::vector<uint8_t> dictionary_page_;  // texts of the dictionary point into it
  std::vector<uint64_t> dictionary_;      // 8-byte words, for alignment
  int64_t dictionary_size_ = -1;
  std::vector<uint64_t> scratch_;
};

}  // namespace shadowvm::storage
