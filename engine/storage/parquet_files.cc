// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/parquet_files.h"

#include <algorithm>
#include <utility>

#include "engine/columns/frame.h"

namespace shadowvm::storage {
namespace {

using columns::kSegmentRows;
using columns::Type;
using columns::Zone;

// The type that holds both, or nothing.
bool Widen(Type a, Type b, Type* out) {
  if (a.is_integer() && b.is_integer()) {
    out->kind = std::max(a.kind, b.kind);
    return true;
  }
  if (a.is_float() && b.is_float()) {
    *out = Type::Of(columns::TypeKind::kDouble);
    return true;
  }
  if (a.is_decimal() && b.is_decimal() && a.scale == b.scale) {
    *out = Type::Decimal(std::max(a.precision, b.precision), a.scale);
    return true;
  }
  return false;
}

base::Status Merge(const ParquetFooter& file, int file_ordinal, std::vector<TableColumn>* columns) {
  for (size_t i = 0; i < file.columns.size(); ++i) {
    const FileColumn& column = file.columns[i];
    auto found = std::find_if(columns->begin(), columns->end(), [&](const TableColumn& known) {
      return known.field.name == column.name;
    });
    if (found == columns->end()) {
      found = columns->insert(columns->end(), TableColumn{});
      // Files before this one lack the column.
      found->field = {column.name, column.type, column.optional || file_ordinal > 0};
      found->in_file.assign(file_ordinal, -1);
    }
    Type& type = found->field.type;
    if (type != column.type && !Widen(type, column.type, &type)) {
      return base::MakeError(base::ErrorCode::kSchemaMismatch,
                             file.path + ": column " + column.name + " is " +
                                 column.type.ToString() + ", elsewhere " + type.ToString());
    }
    if (static_cast<int>(found->in_file.size()) > file_ordinal) {
      return base::MakeError(base::ErrorCode::kSchemaMismatch,
                             file.path + ": column " + column.name + " is there twice");
    }
    found->field.nullable |= column.optional;
    found->in_file.push_back(static_cast<int>(i));
  }
  for (TableColumn& column : *columns) {
    if (static_cast<int>(column.in_file.size()) > file_ordinal) continue;
    column.in_file.push_back(-1);
    column.field.nullable = true;
  }
  return base::Status::OK();
}

// A file of the same name as a partition key gives way to the folder.
void AddPartitions(const std::vector<PartitionColumn>& partitions,
                   std::vector<TableColumn>* columns) {
  for (size_t i = 0; i < partitions.size(); ++i) {
    std::erase_if(*columns, [&](const TableColumn& column) {
      return column.field.name == partitions[i].field.name;
    });
    TableColumn column;
    column.field = partitions[i].field;
    column.partition = static_cast<int>(i);
    columns->push_back(std::move(column));
  }
}

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

// An identity of Merge: covers nothing.
constexpr Zone kNothing{true, INT64_MAX, INT64_MIN, 0};

Zone PartitionZone(const PartitionColumn& partition, const FileSegment& segment) {
  const bool null = !partition.texts[segment.file].has_value();
  if (!partition.field.type.is_framed()) return {false, 0, 0, null ? segment.num_rows : 0};
  if (null) return {true, INT64_MAX, INT64_MIN, segment.num_rows};
  const int64_t value = partition.values[segment.file];
  return {true, value, value, 0};
}

Zone FileZone(const ParquetFooter& file, const TableColumn& column, const FileSegment& segment) {
  const int in_file = column.in_file[segment.file];
  Zone zone = kNothing;
  if (in_file < 0) {
    zone.null_count = segment.num_rows;
    zone.known = column.field.type.is_framed();
    return zone;
  }
  for (const RowGroupPart& part : segment.parts) {
    Zone chunk = file.chunks[part.row_group][in_file].zone;
    const bool whole = part.num_rows == file.row_group_rows[part.row_group];
    if (column.field.type.is_framed() && !chunk.known &&
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
  const Type type = column->field.type;
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

void SetZones(const ParquetFiles& table, TableColumn* column) {
  column->zone = kNothing;
  for (const FileSegment& segment : table.segments) {
    const Zone zone = column->partition >= 0
                          ? PartitionZone(table.partitions[column->partition], segment)
                          : FileZone(*table.files[segment.file], *column, segment);
    column->zone = columns::Merge(column->zone, zone);
    column->zones.push_back(zone);
  }
  if (!column->field.type.is_framed()) column->zone.known = false;
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
  if (table.segments.empty()) column->zone = Zone{false, 0, 0, 0};
}

}  // namespace

Zone TableColumn::frame(int segment) const {
  if (!field.type.is_framed() || zones[segment].known) return zones[segment];
  Zone zone = columns::FullZone(field.type);
  zone.null_count = zones[segment].null_count;
  return zone;
}

base::Result<std::shared_ptr<const ParquetFiles>> ParquetFiles::Make(
    std::vector<std::shared_ptr<const ParquetFooter>> files,
    std::vector<PartitionColumn> partitions) {
  auto table = std::make_shared<ParquetFiles>();
  table->files = std::move(files);
  table->partitions = std::move(partitions);
  for (size_t i = 0; i < table->files.size(); ++i) {
    SVM_RETURN_NOT_OK(Merge(*table->files[i], static_cast<int>(i), &table->columns));
    AddSegments(*table->files[i], static_cast<int>(i), &table->segments);
  }
  if (table->columns.empty() && !table->files[0]->unsupported.empty()) {
    const auto& [column, type] = table->files[0]->unsupported[0];
    return base::MakeError(base::ErrorCode::kUnsupportedType,
                           table->files[0]->path + ": column " + column + " has type " + type);
  }
  AddPartitions(table->partitions, &table->columns);
  for (TableColumn& column : table->columns) {
    SetZones(*table, &column);
    ChooseLayout(&column);
    table->schema.fields.push_back(column.field);
  }
  // Files may disagree on the type; the first one speaks for all.
  for (const auto& [name, type] : table->files[0]->unsupported) {
    table->schema.left_out.push_back({name, type});
  }
  return table;
}

}  // namespace shadowvm::storage
