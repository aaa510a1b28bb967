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

bool Excludes(const Zone& zone, const columns::ZoneFilter& filter) {
  return zone.known && (zone.max < filter.min || zone.min > filter.max);
}

bool Implies(const Zone& zone, const columns::ZoneFilter& filter) {
  return zone.known && zone.null_count == 0 && zone.min >= filter.min && zone.max <= filter.max;
}

base::Result<RowRanges> LiveOfPart(const DataFile& file, const ParquetFiles& table, int segment,
                                   const RowGroupPart& part, const columns::ZoneFilter& filter) {
  const RowRanges all{{part.first_row, part.first_row + part.num_rows}};
  const TableColumn& column = table.columns[filter.column];
  if (!column.field.type.is_framed()) return all;
  if (Excludes(column.zones[segment], filter)) return RowRanges();
  if (column.partition >= 0) return all;
  const int file_ordinal = table.segments[segment].file;
  const int in_file = column.in_file[file_ordinal];
  if (in_file < 0) return RowRanges();  // all null
  const ParquetFooter& footer = *table.files[file_ordinal];
  const Zone& chunk = footer.chunks[part.row_group][in_file].zone;
  if (Excludes(chunk, filter)) return RowRanges();
  if (Implies(chunk, filter)) return all;
  SVM_ASSIGN_OR_RETURN(const RowRanges live,
                       ReadLiveRows(file, footer, part.row_group, in_file, filter.min, filter.max));
  return Intersect(live, all);
}

// Every row of the segment has the value of its folder.
base::Status FillPartition(const PartitionColumn& partition, int file, int64_t rows,
                           const InternFunction& intern, SegmentFill* fill) {
  const auto& text = partition.texts[file];
  if (!text.has_value()) return fill->AddNulls(0, rows);
  const std::string_view view = *text;
  switch (fill->layout().encoding) {
    case Encoding::kFrame:
      std::memset(fill->at(0), 0, rows * fill->layout().width);
      return base::Status::OK();
    case Encoding::kCodes: {
      SVM_ASSIGN_OR_RETURN(const auto codes, intern({&view, 1}));
      std::fill_n(reinterpret_cast<uint32_t*>(fill->at(0)), rows, codes[0]);
      return base::Status::OK();
    }
    default:
      return fill->AppendTexts(0, std::vector<TextView>(rows, {view.data(), view.size()}));
  }
}

base::Status FillFromFile(const DataFile& file, const ParquetFiles& table,
                          const ColumnRequest& request, const LiveParts& live,
                          memory::MemoryBudget* budget, SegmentFill* fill) {
  const FileSegment& segment = table.segments[request.segment];
  const TableColumn& column = table.columns[request.column];
  const ParquetFooter& footer = *table.files[segment.file];
  const int in_file = column.in_file[segment.file];
  if (in_file < 0) return fill->AddNulls(0, segment.num_rows);
  int64_t row = 0;
  for (size_t i = 0; i < segment.parts.size(); ++i) {
    const RowGroupPart& part = segment.parts[i];
    const auto writer = MakeValueWriter(
        footer.columns[in_file].form,
        {column.field.type, request.layout, column.frame(request.segment), request.intern});
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

base::Result<LiveParts> FindLive(const DataFile& file, const ParquetFiles& table, int segment,
                                 std::span<const columns::ZoneFilter> filters) {
  LiveParts live = AllLive(table.segments[segment]);
  for (size_t i = 0; i < live.size(); ++i) {
    for (const columns::ZoneFilter& filter : filters) {
      SVM_ASSIGN_OR_RETURN(
          const RowRanges rows,
          LiveOfPart(file, table, segment, table.segments[segment].parts[i], filter));
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
    const DataFile& file, const ParquetFiles& table, const ColumnRequest& request,
    const LiveParts& live, memory::MemoryBudget* budget) {
  const FileSegment& segment = table.segments[request.segment];
  const TableColumn& column = table.columns[request.column];
  const bool partial = CountRows(ToSegmentRows(segment, live)) < segment.num_rows;
  SVM_ASSIGN_OR_RETURN(SegmentFill fill,
                       SegmentFill::Make(request.layout, column.frame(request.segment),
                                         segment.num_rows, partial, budget));
  if (column.partition >= 0) {
    SVM_RETURN_NOT_OK(FillPartition(table.partitions[column.partition], segment.file,
                                    segment.num_rows, request.intern, &fill));
  } else {
    SVM_RETURN_NOT_OK(FillFromFile(file, table, request, live, budget, &fill));
  }
  return fill.Finish();
}

}  // namespace shadowvm::storage
