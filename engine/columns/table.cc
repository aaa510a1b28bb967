// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/table.h"

#include <utility>

#include "engine/columns/frame.h"

namespace shadowvm::columns {

MemoryTable::MemoryTable(std::string name, Schema schema, std::vector<Column> columns)
    : name_(std::move(name)), schema_(std::move(schema)), columns_(std::move(columns)) {
  if (columns_.empty()) return;
  for (const auto& segment : columns_[0].segments) segment_rows_.push_back(segment->num_rows);
}

int MemoryTable::num_segments() const { return static_cast<int>(segment_rows_.size()); }

int64_t MemoryTable::segment_rows(int segment) const { return segment_rows_[segment]; }

Zone MemoryTable::zone(int segment, int column) const {
  return columns_[column].segments[segment]->zone;
}

Zone MemoryTable::zone(int column) const {
  // The zone of no rows: nothing is outside it, and merging with it changes nothing.
  Zone all{true, INT64_MAX, INT64_MIN, 0};
  for (const auto& segment : columns_[column].segments) all = Merge(all, segment->zone);
  if (all.min > all.max) all.known = false;
  return all;
}

base::Result<std::shared_ptr<const Segment>> MemoryTable::Read(int segment,
                                                               std::span<const int> columns,
                                                               std::span<const ZoneFilter>,
                                                               base::Spans*) {
  return Gather(segment, columns);
}

std::vector<std::shared_ptr<const Segment>> MemoryTable::FindResident(
    std::span<const int> segments, std::span<const int> columns) {
  std::vector<std::shared_ptr<const Segment>> found;
  for (const int segment : segments) found.push_back(Gather(segment, columns));
  return found;
}

std::shared_ptr<const Segment> MemoryTable::Gather(int segment,
                                                   std::span<const int> columns) const {
  auto result = std::make_shared<Segment>();
  result->num_rows = segment_rows_[segment];
  result->columns.reserve(columns.size());
  for (const int column : columns) {
    result->columns.push_back(columns_[column].segments[segment]);
  }
  return result;
}

int64_t MemoryTable::bytes() const {
  int64_t total = 0;
  for (const Column& column : columns_) {
    for (const auto& segment : column.segments) total += segment->bytes();
  }
  return total;
}

}  // namespace shadowvm::columns
