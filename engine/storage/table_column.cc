// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/table_column.h"

#include <algorithm>
#include <utility>

#include "engine/columns/frame.h"

namespace shadowvm::storage {
namespace {

using columns::Type;
using columns::Zone;

// An identity of Merge: covers nothing.
constexpr Zone kNothing{true, INT64_MAX, INT64_MIN, 0};

Zone PartitionZone(const ColumnOrigin& origin, const FileSegment& segment) {
  const PartitionValue& value = origin.values[segment.file];
  if (!origin.type.is_framed()) return {false, 0, 0, value.is_null ? segment.num_rows : 0};
  if (value.is_null) return {true, INT64_MAX, INT64_MIN, segment.num_rows};
  const auto integer = static_cast<int64_t>(value.integer);
  return {true, integer, integer, 0};
}

Zone FileZone(const ParquetFooter& file, const ColumnOrigin& origin, const FileSegment& segment) {
  const int in_file = origin.in_file[segment.file];
  Zone zone = kNothing;
  if (in_file < 0) {
    zone.null_count = segment.num_rows;
    zone.known = origin.type.is_framed();
    return zone;
  }
  for (const RowGroupPart& part : segment.parts) {
    Zone chunk = file.chunks[part.row_group][in_file].zone;
    const bool whole = part.num_rows == file.row_group_rows[part.row_group];
    if (origin.type.is_framed() && !chunk.known &&
        chunk.null_count == file.row_group_rows[part.row_group]) {
      chunk = {true, INT64_MAX, INT64_MIN, chunk.null_count};  // nothing but nulls
    }
    // Of a part of a row group only "none" and "all" are known.
    if (!whole && chunk.null_count != 0) {
      chunk.null_count =
          chunk.null_count == file.row_group_rows[part.row_group] ? part.num_rows : -1;
    }
    zone = columns::Merge(zone, chunk);
  }
  return zone;
}

void ChooseLayout(TableColumn* column) {
  const Type type = column->origin.type;
  columns::Layout& layout = column->layout;
  layout.nullable = column->zone.null_count != 0;
  if (type.is_text()) {
    layout.encoding = columns::Encoding::kCodes;
    layout.width = 4;
  } else if (type.is_wide()) {
    layout.encoding = columns::Encoding::kWide;
    layout.width = 16;
  } else if (type.is_float()) {
    layout.encoding = columns::Encoding::kFloat;
    layout.width = type.kind == columns::TypeKind::kFloat ? 4 : 8;
  } else {
    uint64_t range = 0;
    for (size_t s = 0; s < column->zones.size(); ++s) {
      const Zone frame = column->frame(static_cast<int>(s));
      range = std::max(range, columns::RangeOf(frame.min, frame.max));
    }
    layout.encoding = columns::Encoding::kFrame;
    layout.width = columns::FrameWidth(range);
  }
}

void SetZones(const FileSet& files, TableColumn* column) {
  const ColumnOrigin& origin = column->origin;
  column->zone = kNothing;
  for (const FileSegment& segment : files.segments) {
    const Zone zone = origin.is_partition() ? PartitionZone(origin, segment)
                                            : FileZone(*files.files[segment.file], origin, segment);
    column->zone = columns::Merge(column->zone, zone);
    column->zones.push_back(zone);
  }
  if (!origin.type.is_framed()) column->zone.known = false;
  // One segment without statistics, and none can be trusted to bound the width of the table.
  if (!column->zone.known) {
    for (Zone& zone : column->zones) zone.known = false;
  }
  const bool empty = column->zone.known && column->zone.min > column->zone.max;
  if (empty) column->zone.min = column->zone.max = 0;
  // A segment of nulls takes the zone of one value of the table, so that it widens nothing.
  for (Zone& zone : column->zones) {
    if (zone.known && zone.min > zone.max) zone.min = zone.max = column->zone.min;
  }
  if (files.segments.empty()) column->zone = Zone{false, 0, 0, 0};
}

}  // namespace

TableColumn::TableColumn(const FileSet& files, ColumnOrigin from) : origin(std::move(from)) {
  SetZones(files, this);
  ChooseLayout(this);
}

Zone TableColumn::frame(int segment) const {
  if (!origin.type.is_framed() || zones[segment].known) return zones[segment];
  Zone zone = columns::FullZone(origin.type);
  zone.null_count = zones[segment].null_count;
  return zone;
}

}  // namespace shadowvm::storage
