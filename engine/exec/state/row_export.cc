// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <algorithm>
#include <cstring>

#include "engine/columns/frame.h"
#include "engine/exec/state/dispatch.h"
#include "engine/exec/state/row_conversion.h"

namespace shadowvm::exec {
namespace {

using columns::ColumnSegment;
using columns::Encoding;
using columns::Layout;
using columns::Zone;
using memory::Buffer;

constexpr std::string_view kWhat = "table of rows";
// Below this a column is not worth a worker of its own.
constexpr int64_t kColumnRows = 8 << 10;

// Rows [begin, begin + count) of one column, on their way into a segment.
struct Piece {
  const RowData* data;
  int64_t begin;
  int64_t count;

  bool is_valid(int64_t i) const { return data->is_valid(begin + i); }
};

Zone ZoneOfPiece(const Piece& piece) {
  Zone zone{true, INT64_MAX, INT64_MIN, 0};
  for (int64_t i = 0; i < piece.count; ++i) {
    if (!piece.is_valid(i)) {
      ++zone.null_count;
      continue;
    }
    const int64_t value = piece.data->Integer(piece.begin + i);
    zone.min = std::min(zone.min, value);
    zone.max = std::max(zone.max, value);
  }
  // A segment without values still has a frame: null rows decode to its base.
  if (zone.min > zone.max) zone.min = zone.max = 0;
  return zone;
}

base::Status FillFrame(const Piece& piece, int width, memory::MemoryBudget* budget,
                       ColumnSegment* segment) {
  segment->base = segment->zone.min;
  SVM_ASSIGN_OR_RETURN(segment->data, Buffer::Make(budget, piece.count * width, kWhat));
  std::vector<int64_t> values(piece.count);
  for (int64_t i = 0; i < piece.count; ++i) {
    values[i] = piece.is_valid(i) ? piece.data->Integer(piece.begin + i) : segment->base;
  }
  columns::Narrow(values.data(), piece.count, segment->base, width, segment->data->data());
  return base::Status::OK();
}

// Values as they are; null rows become zeroes, which decode safely whatever the encoding.
base::Status FillFixed(const Piece& piece, memory::MemoryBudget* budget, ColumnSegment* segment) {
  const int width = piece.data->column.width();
  SVM_ASSIGN_OR_RETURN(segment->data, Buffer::Make(budget, piece.count * width, kWhat));
  DispatchWidth(width, [&](auto zero) {
    using T = decltype(zero);
    const T* from = piece.data->values<T>() + piece.begin;
    T* to = segment->data->as<T>();
    for (int64_t i = 0; i < piece.count; ++i) to[i] = piece.is_valid(i) ? from[i] : T{};
  });
  return base::Status::OK();
}

base::Status FillText(const Piece& piece, memory::MemoryBudget* budget, ColumnSegment* segment) {
  SVM_ASSIGN_OR_RETURN(segment->offsets, Buffer::Make(budget, (piece.count + 1) * 4, kWhat));
  auto* offsets = segment->offsets->as<uint32_t>();
  const auto* texts = piece.data->values<kernels::Text>() + piece.begin;
  uint64_t size = 0;
  for (int64_t i = 0; i < piece.count; ++i) {
    offsets[i] = static_cast<uint32_t>(size);
    if (piece.is_valid(i)) size += texts[i].size;
  }
  if (size > UINT32_MAX) {
    return base::MakeError(base::ErrorCode::kUnsupported,
                           "a string column of more than 4 GiB in one segment of rows");
  }
  offsets[piece.count] = static_cast<uint32_t>(size);
  SVM_ASSIGN_OR_RETURN(segment->data, Buffer::Make(budget, static_cast<int64_t>(size), kWhat));
  for (int64_t i = 0; i < piece.count; ++i) {
    if (offsets[i + 1] == offsets[i]) continue;
    std::memcpy(segment->data->data() + offsets[i], texts[i].data, texts[i].size);
  }
  return base::Status::OK();
}

base::Status FillValidity(const Piece& piece, memory::MemoryBudget* budget,
                          ColumnSegment* segment) {
  if (piece.data->valid == nullptr) return base::Status::OK();
  SVM_ASSIGN_OR_RETURN(segment->validity, Buffer::Make(budget, (piece.count + 63) / 64 * 8, kWhat,
                                                       Buffer::Fill::kZero));
  uint8_t* bits = segment->validity->data();
  for (int64_t i = 0; i < piece.count; ++i) {
    bits[i / 8] |= static_cast<uint8_t>(piece.is_valid(i)) << (i % 8);
  }
  return base::Status::OK();
}

Layout LayoutOf(const RowColumn& column) {
  const auto width = static_cast<uint8_t>(column.width());
  if (column.kind == RowColumn::Kind::kCodes) return {Encoding::kCodes, 4, column.nullable};
  if (column.kind == RowColumn::Kind::kText) return {Encoding::kText, 4, column.nullable};
  if (column.type.is_float()) return {Encoding::kFloat, width, column.nullable};
  if (column.type.is_wide()) return {Encoding::kWide, width, column.nullable};
  // Not the narrowest: kernels that read the rows must not change with the values in them.
  return {Encoding::kFrame, width, column.nullable};
}

base::Status FillSegment(const Piece& piece, const Layout& layout, memory::MemoryBudget* budget,
                         ColumnSegment* segment) {
  SVM_RETURN_NOT_OK(FillValidity(piece, budget, segment));
  if (layout.encoding == Encoding::kFrame) return FillFrame(piece, layout.width, budget, segment);
  if (layout.encoding == Encoding::kText) return FillText(piece, budget, segment);
  return FillFixed(piece, budget, segment);
}

base::Result<columns::MemoryTable::Column> ToColumn(const RowData& data, int64_t num_rows,
                                                    memory::MemoryBudget* budget) {
  columns::MemoryTable::Column column{LayoutOf(data.column), data.column.dictionary, {}};
  // Null rows hold code 0, which must be an entry.
  if (column.dictionary != nullptr && column.dictionary->size() == 0) {
    const std::string_view empty;
    SVM_RETURN_NOT_OK(column.dictionary->Intern({&empty, 1}).status());
  }
  std::vector<std::pair<Piece, std::shared_ptr<ColumnSegment>>> work;
  for (int64_t begin = 0; begin < num_rows; begin += columns::kSegmentRows) {
    const Piece piece{&data, begin, std::min(columns::kSegmentRows, num_rows - begin)};
    auto segment = std::make_shared<ColumnSegment>();
    segment->num_rows = piece.count;
    if (column.layout.encoding == Encoding::kFrame) segment->zone = ZoneOfPiece(piece);
    work.emplace_back(piece, std::move(segment));
  }
  for (auto& [piece, segment] : work) {
    SVM_RETURN_NOT_OK(FillSegment(piece, column.layout, budget, segment.get()));
    column.segments.push_back(std::move(segment));
  }
  return column;
}

}  // namespace

base::Result<std::shared_ptr<columns::MemoryTable>> ToMemoryTable(
    const RowSet& rows, std::string name, const std::vector<std::string>& names,
    memory::MemoryBudget* budget, const schedule::Workers& workers) {
  columns::Schema schema;
  for (size_t i = 0; i < rows.columns.size(); ++i) {
    const RowColumn& column = rows.columns[i].column;
    schema.fields.push_back({names[i], column.type, column.nullable});
  }
  std::vector<columns::MemoryTable::Column> table_columns(rows.columns.size());
  const auto convert = [&](int, int64_t begin, int64_t end) -> base::Status {
    for (int64_t i = begin; i < end; ++i) {
      SVM_ASSIGN_OR_RETURN(table_columns[i], ToColumn(rows.columns[i], rows.num_rows, budget));
    }
    return base::Status::OK();
  };
  const auto count = static_cast<int64_t>(rows.columns.size());
  const int64_t smallest = rows.num_rows < kColumnRows ? count + 1 : 1;
  SVM_RETURN_NOT_OK(schedule::ParallelRanges(workers, count, smallest, convert));
  return std::make_shared<columns::MemoryTable>(std::move(name), std::move(schema),
                                                std::move(table_columns));
}

}  // namespace shadowvm::exec
