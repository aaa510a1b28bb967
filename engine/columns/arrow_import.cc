// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/arrow_import.h"

#include <arrow/api.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/base/fault.h"
#include "engine/columns/arrow_values.h"
#include "engine/columns/dictionary_rule.h"
#include "engine/columns/frame.h"
#include "engine/columns/type_mapping.h"

namespace shadowvm::columns {
namespace {

using memory::Buffer;

// Brings one column in, segment by segment.
class ColumnImporter {
 public:
  ColumnImporter(Type type, const arrow::ChunkedArray& source, memory::MemoryBudget* budget)
      : type_(type), budget_(budget), num_rows_(source.length()) {
    column_.layout.nullable = source.null_count() > 0;
  }

  base::Status SetChunks(const arrow::ChunkedArray& source) {
    for (const auto& chunk : source.chunks()) {
      SVM_ASSIGN_OR_RETURN(auto plain, WithoutDictionary(chunk));
      if (plain->null_count() > 0) column_.layout.nullable = true;
      chunks_.push_back(std::move(plain));
    }
    return base::Status::OK();
  }

  base::Result<MemoryTable::Column> Import() {
    if (type_.is_text()) {
      SVM_RETURN_NOT_OK(ImportTexts());
    } else if (type_.is_framed()) {
      SVM_RETURN_NOT_OK(ImportFrames());
    } else {
      SVM_RETURN_NOT_OK(ImportFixed());
    }
    return std::move(column_);
  }

 private:
  int64_t num_segments() const { return (num_rows_ + kSegmentRows - 1) / kSegmentRows; }
  int64_t RowsOf(int64_t segment) const {
    return std::min(kSegmentRows, num_rows_ - segment * kSegmentRows);
  }

  // The pieces of Arrow arrays that make up a segment.
  arrow::ArrayVector PiecesOf(int64_t segment) const {
    const int64_t begin = segment * kSegmentRows;
    return arrow::ChunkedArray(chunks_, chunks_[0]->type()).Slice(begin, RowsOf(segment))->chunks();
  }

  base::Status FillValidity(const arrow::ArrayVector& pieces, ColumnSegment* segment) {
    int64_t nulls = 0;
    for (const auto& piece : pieces) nulls += piece->null_count();
    segment->zone.null_count = nulls;
    if (nulls == 0) return base::Status::OK();
    SVM_ASSIGN_OR_RETURN(segment->validity, Buffer::Make(budget_, (segment->num_rows + 7) / 8,
                                                         "validity", Buffer::Fill::kZero));
    int64_t row = 0;
    for (const auto& piece : pieces) {
      for (int64_t i = 0; i < piece->length(); ++i, ++row) {
        if (piece->IsValid(i)) segment->validity->data()[row / 8] |= 1 << (row % 8);
      }
    }
    return base::Status::OK();
  }

  // Values and validity of a framed segment; zone.known only if a row is valid.
  base::Status ReadFrame(const arrow::ArrayVector& pieces, std::vector<int64_t>* values,
                         Zone* zone) {
    values->clear();
    int64_t min = INT64_MAX;
    int64_t max = INT64_MIN;
    for (const auto& piece : pieces) {
      const size_t at = values->size();
      values->resize(at + piece->length());
      SVM_RETURN_NOT_OK(ReadFramed(*piece, values->data() + at));
      for (int64_t i = 0; i < piece->length(); ++i) {
        if (piece->IsNull(i)) continue;
        min = std::min(min, (*values)[at + i]);
        max = std::max(max, (*values)[at + i]);
      }
    }
    zone->known = min <= max;
    zone->min = zone->known ? min : 0;
    zone->max = zone->known ? max : 0;
    return base::Status::OK();
  }

  base::Status ImportFrames() {
    std::vector<Zone> zones(num_segments());
    std::vector<int64_t> values;
    uint64_t range = 0;
    int64_t table_min = INT64_MAX;
    for (int64_t s = 0; s < num_segments(); ++s) {
      SVM_RETURN_NOT_OK(ReadFrame(PiecesOf(s), &values, &zones[s]));
      if (!zones[s].known) continue;
      range = std::max(range, RangeOf(zones[s].min, zones[s].max));
      table_min = std::min(table_min, zones[s].min);
    }
    column_.layout.encoding = Encoding::kFrame;
    column_.layout.width = FrameWidth(range);
    for (int64_t s = 0; s < num_segments(); ++s) {
      // A segment of nulls takes the zone of one value of the table, so that it widens nothing.
      if (!zones[s].known) {
        const int64_t value = table_min == INT64_MAX ? 0 : table_min;
        zones[s] = {true, value, value, -1};
      }
      SVM_RETURN_NOT_OK(AddFrame(s, zones[s], &values));
    }
    return base::Status::OK();
  }

  base::Status AddFrame(int64_t s, const Zone& zone, std::vector<int64_t>* values) {
    const arrow::ArrayVector pieces = PiecesOf(s);
    Zone again;
    SVM_RETURN_NOT_OK(ReadFrame(pieces, values, &again));
    SVM_ASSIGN_OR_RETURN(auto segment, NewSegment(s, column_.layout.width));
    segment->zone = zone;
    segment->base = zone.min;
    SVM_RETURN_NOT_OK(FillValidity(pieces, segment.get()));
    int64_t row = 0;
    for (const auto& piece : pieces) {
      for (int64_t i = 0; i < piece->length(); ++i, ++row) {
        if (piece->IsNull(i)) (*values)[row] = zone.min;
      }
    }
    Narrow(values->data(), segment->num_rows, segment->base, column_.layout.width,
           segment->data->data());
    column_.segments.push_back(std::move(segment));
    return base::Status::OK();
  }

  // Floats and wide decimals.
  base::Status ImportFixed() {
    column_.layout.encoding = type_.is_float() ? Encoding::kFloat : Encoding::kWide;
    column_.layout.width = type_.is_wide() ? 16 : (type_.kind == TypeKind::kFloat ? 4 : 8);
    const int width = column_.layout.width;
    for (int64_t s = 0; s < num_segments(); ++s) {
      const arrow::ArrayVector pieces = PiecesOf(s);
      SVM_ASSIGN_OR_RETURN(auto segment, NewSegment(s, width));
      SVM_RETURN_NOT_OK(FillValidity(pieces, segment.get()));
      uint8_t* out = segment->data->data();
      for (const auto& piece : pieces) {
        if (type_.is_wide()) {
          SVM_RETURN_NOT_OK(ReadWide(*piece, reinterpret_cast<Int128*>(out)));
        } else {
          const uint8_t* from = piece->data()->buffers[1]->data() + piece->offset() * width;
          if (piece->length() > 0) std::memcpy(out, from, piece->length() * width);
        }
        out += piece->length() * width;
      }
      column_.segments.push_back(std::move(segment));
    }
    return base::Status::OK();
  }

  base::Status ImportTexts() {
    column_.layout.encoding = Encoding::kCodes;
    column_.layout.width = 4;
    SVM_ASSIGN_OR_RETURN(column_.dictionary, Dictionary::Make(budget_));
    for (int64_t s = 0; s < num_segments(); ++s) {
      const base::Status added = AddCodes(s);
      const bool full = base::CodeOf(added) == base::ErrorCode::kCardinality && !added.ok();
      if (!added.ok() && !full) return added;
      if (full || (s == 0 && !KeepsDictionary(column_.dictionary->size(), RowsOf(0)))) {
        return ImportPlainTexts();
      }
    }
    return base::Status::OK();
  }

  base::Status AddCodes(int64_t s) {
    const arrow::ArrayVector pieces = PiecesOf(s);
    SVM_ASSIGN_OR_RETURN(auto segment, NewSegment(s, 4));
    SVM_RETURN_NOT_OK(FillValidity(pieces, segment.get()));
    std::vector<std::string_view> valid;
    auto* out = segment->data->as<uint32_t>();
    for (const auto& piece : pieces) {
      std::vector<std::string_view> texts;
      ReadTexts(*piece, &texts);
      valid.clear();
      for (int64_t i = 0; i < piece->length(); ++i) {
        if (piece->IsValid(i)) valid.push_back(texts[i]);
      }
      SVM_ASSIGN_OR_RETURN(const auto codes, column_.dictionary->Intern(valid));
      size_t next = 0;
      for (int64_t i = 0; i < piece->length(); ++i) {
        *out++ = piece->IsValid(i) ? codes[next++] : 0;
      }
    }
    // Null rows hold code 0, which must exist.
    if (column_.dictionary->size() == 0) {
      const std::string_view nothing;
      SVM_RETURN_NOT_OK(column_.dictionary->Intern({&nothing, 1}).status());
    }
    column_.segments.push_back(std::move(segment));
    return base::Status::OK();
  }

  base::Status ImportPlainTexts() {
    column_.layout.encoding = Encoding::kText;
    column_.dictionary.reset();
    column_.segments.clear();
    for (int64_t s = 0; s < num_segments(); ++s) SVM_RETURN_NOT_OK(AddPlainTexts(s));
    return base::Status::OK();
  }

  base::Status AddPlainTexts(int64_t s) {
    const arrow::ArrayVector pieces = PiecesOf(s);
    std::vector<std::string_view> texts;
    for (const auto& piece : pieces) ReadTexts(*piece, &texts);
    int64_t bytes = 0;
    for (const auto text : texts) bytes += static_cast<int64_t>(text.size());
    if (bytes > INT32_MAX) {
      return base::MakeError(base::ErrorCode::kUnsupported,
                             "more than 2 GiB of text in " + std::to_string(RowsOf(s)) + " rows");
    }
    auto segment = std::make_shared<ColumnSegment>();
    segment->num_rows = RowsOf(s);
    SVM_ASSIGN_OR_RETURN(segment->data, Buffer::Make(budget_, bytes, "text"));
    SVM_ASSIGN_OR_RETURN(segment->offsets,
                         Buffer::Make(budget_, (segment->num_rows + 1) * 4, "text offsets"));
    SVM_RETURN_NOT_OK(FillValidity(pieces, segment.get()));
    auto* offsets = segment->offsets->as<uint32_t>();
    uint32_t at = 0;
    for (const auto text : texts) {
      *offsets++ = at;
      if (!text.empty()) std::memcpy(segment->data->data() + at, text.data(), text.size());
      at += static_cast<uint32_t>(text.size());
    }
    *offsets = at;
    column_.segments.push_back(std::move(segment));
    return base::Status::OK();
  }

  base::Result<std::shared_ptr<ColumnSegment>> NewSegment(int64_t s, int width) {
    auto segment = std::make_shared<ColumnSegment>();
    segment->num_rows = RowsOf(s);
    SVM_ASSIGN_OR_RETURN(segment->data,
                         Buffer::Make(budget_, segment->num_rows * width, "segment"));
    return segment;
  }

  Type type_;
  memory::MemoryBudget* budget_;
  int64_t num_rows_;
  arrow::ArrayVector chunks_;
  MemoryTable::Column column_;
};

base::Result<MemoryTable::Column> ImportColumn(Type type, const arrow::ChunkedArray& source,
                                               memory::MemoryBudget* budget) {
  SVM_FAULT_POINT("columns.import");
  ColumnImporter importer(type, source, budget);
  SVM_RETURN_NOT_OK(importer.SetChunks(source));
  return importer.Import();
}

}  // namespace

base::Result<std::shared_ptr<MemoryTable>> FromArrow(std::string name, const arrow::Table& table,
                                                     memory::MemoryBudget* budget) {
  SVM_ASSIGN_OR_RETURN(Schema schema, FromArrow(*table.schema()));
  std::vector<MemoryTable::Column> columns;
  for (int i = 0; i < schema.num_fields(); ++i) {
    auto column = ImportColumn(schema.fields[i].type, *table.column(i), budget);
    if (!column.ok()) {
      return base::WithContext(column.status(), "column " + schema.fields[i].name);
    }
    columns.push_back(std::move(*column));
  }
  return std::make_shared<MemoryTable>(std::move(name), std::move(schema), std::move(columns));
}

base::Result<std::shared_ptr<MemoryTable>> FromArrow(std::string name,
                                                     const arrow::RecordBatch& batch,
                                                     memory::MemoryBudget* budget) {
  arrow::ChunkedArrayVector columns;
  for (const auto& column : batch.columns()) {
    columns.push_back(std::make_shared<arrow::ChunkedArray>(column));
  }
  return FromArrow(std::move(name),
                   *arrow::Table::Make(batch.schema(), std::move(columns), batch.num_rows()),
                   budget);
}

}  // namespace shadowvm::columns
