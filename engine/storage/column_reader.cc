// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/column_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/storage/chunk_reader.h"
#include "engine/storage/segment_fill.h"

namespace shadowvm::storage {
namespace {

using columns::Encoding;
using columns::Zone;

bool Excludes(const Zone& zone, const ColumnFilter& filter) {
  return zone.known && (zone.max < filter.min || zone.min > filter.max);
}

bool Implies(const Zone& zone, const ColumnFilter& filter) {
  return zone.known && zone.null_count == 0 && zone.min >= filter.min && zone.max <= filter.max;
}

base::Result<RowRanges> LiveOfPart(const DataFile& file, const FileSet& files, int segment,
                                   const RowGroupPart& part, const ColumnFilter& filter) {
  const RowRanges all{{part.first_row, part.first_row + part.num_rows}};
  const TableColumn& column = *filter.column;
  if (!column.origin.type.is_framed()) return all;
  if (Excludes(column.zones[segment], filter)) return RowRanges();
  if (column.origin.is_partition()) return all;
  const int file_ordinal = files.segments[segment].file;
  const int in_file = column.origin.in_file[file_ordinal];
  if (in_file < 0) return RowRanges();  // all null
  const ParquetFooter& footer = *files.files[file_ordinal];
  const Zone& chunk = footer.chunks[part.row_group][in_file].zone;
  if (Excludes(chunk, filter)) return RowRanges();
  if (Implies(chunk, filter)) return all;
  SVM_ASSIGN_OR_RETURN(const RowRanges live,
                       ReadLiveRows(file, footer, part.row_group, in_file, filter.min, filter.max));
  return Intersect(live, all);
}

template <typename T>
void Repeat(T value, int64_t rows, SegmentFill* fill) {
  std::fill_n(reinterpret_cast<T*>(fill->at(0)), rows, value);
}

// Every row of the segment has the value that came with its file.
base::Status FillPartition(const PartitionValue& value, int64_t rows, const InternFunction& intern,
                           SegmentFill* fill) {
  if (value.is_null) return fill->AddNulls(0, rows);
  const std::string_view text = value.text;
  switch (fill->layout().encoding) {
    case Encoding::kFrame:
      std::memset(fill->at(0), 0, rows * fill->layout().width);
      break;
    case Encoding::kWide:
      Repeat(value.integer, rows, fill);
      break;
    case Encoding::kFloat:
      if (fill->layout().width == 4) {
        Repeat(static_cast<float>(value.number), rows, fill);
      } else {
        Repeat(value.number, rows, fill);
      }
      break;
    case Encoding::kCodes: {
      SVM_ASSIGN_OR_RETURN(const auto codes, intern({&text, 1}));
      Repeat(codes[0], rows, fill);
      break;
    }
    case Encoding::kText:
      return fill->AppendTexts(0, std::vector<TextView>(rows, {text.data(), text.size()}));
  }
  return base::Status::OK();
}

base::Status FillFromFile(const DataFile& file, const FileSet& files, const TableColumn& column,
                          const ColumnRequest& request, const LiveParts& live,
                          memory::MemoryBudget* budget, SegmentFill* fill) {
  const FileSegment& segment = files.segments[request.segment];
  const ParquetFooter& footer = *files.files[segment.file];
  const int in_file = column.origin.in_file[segment.file];
  int64_t row = 0;
  for (size_t i = 0; i < segment.parts.size(); ++i) {
    const RowGroupPart& part = segment.parts[i];
    const auto writer = MakeValueWriter(
        footer.columns[in_file].form,
        {column.origin.type, request.layout, column.frame(request.segment), request.intern});
    const ChunkPiece piece{part.row_group,          in_file, part.first_row, row, live[i],
                           request.verify_checksums};
    SVM_RETURN_NOT_OK(ReadChunk(file, footer, piece, budget, writer.get(), fill));
    row += part.num_rows;
  }
  return base::Status::OK();
}

}  // namespace

LiveParts AllLive(const FileSegment& segment) {
  LiveParts live;
  for (const RowGroupPart& part : segment.parts) {
    live.push_back({{part.first_row, part.first_row + part.num_rows}});
  }
  return live;
}

base::Result<LiveParts> FindLive(const DataFile& file, const FileSet& files, int segment,
                                 std::span<const ColumnFilter> filters) {
  LiveParts live = AllLive(files.segments[segment]);
  for (size_t i = 0; i < live.size(); ++i) {
    for (const ColumnFilter& filter : filters) {
      SVM_ASSIGN_OR_RETURN(
          const RowRanges rows,
          LiveOfPart(file, files, segment, files.segments[segment].parts[i], filter));
      live[i] = Intersect(live[i], rows);
    }
  }
  return live;
}

RowRanges ToSegmentRows(const FileSegment& segment, const LiveParts& live) {
  RowRanges rows;
  int64_t row = 0;
  for (size_t i = 0; i < live.size(); ++i) {
    const int64_t shift = row - segment.parts[i].first_row;
    for (const auto& [begin, end] : live[i]) {
      if (!rows.empty() && rows.back().second == begin + shift) {
        rows.back().second = end + shift;
      } else {
        rows.emplace_back(begin + shift, end + shift);
      }
    }
    row += segment.parts[i].num_rows;
  }
  if (rows.empty()) rows.emplace_back(0, 0);
  return rows;
}

base::Result<std::shared_ptr<const columns::ColumnSegment>> ReadColumn(
    const DataFile* file, const FileSet& files, const TableColumn& column,
    const ColumnRequest& request, const LiveParts& live, memory::MemoryBudget* budget) {
  const FileSegment& segment = files.segments[request.segment];
  const bool partial = CountRows(ToSegmentRows(segment, live)) < segment.num_rows;
  SVM_ASSIGN_OR_RETURN(SegmentFill fill,
                       SegmentFill::Make(request.layout, column.frame(request.segment),
                                         segment.num_rows, partial, budget));
  if (column.origin.LiesIn(segment.file)) {
    SVM_RETURN_NOT_OK(FillFromFile(*file, files, column, request, live, budget, &fill));
  } else {
    // A file that lacks the column has nulls in it.
    const PartitionValue value =
        column.origin.is_partition() ? column.origin.values[segment.file] : PartitionValue{};
    SVM_RETURN_NOT_OK(FillPartition(value, segment.num_rows, request.intern, &fill));
  }
  return fill.Finish();
}

}  // namespace shadowvm::storage
