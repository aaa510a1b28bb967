// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/page_index.h"

#include <parquet/exception.h>
#include <parquet/page_index.h>

#include <algorithm>
#include <exception>

#include "engine/base/fault.h"

namespace shadowvm::storage {
namespace {

constexpr int64_t kMaxIndexBytes = int64_t{64} << 20;

base::Result<std::vector<uint8_t>> ReadIndex(const DataFile& file,
                                             const std::optional<parquet::IndexLocation>& place) {
  SVM_FAULT_POINT("storage.page.index");
  if (!place.has_value()) return std::vector<uint8_t>();
  const int64_t size = file.identity().size;
  const bool inside = place->offset >= 0 && place->length > 0 && place->length <= kMaxIndexBytes &&
                      place->offset <= size - place->length;
  if (!inside) return std::vector<uint8_t>();
  std::vector<uint8_t> bytes(place->length);
  SVM_RETURN_NOT_OK(file.Read(place->offset, place->length, bytes.data()));
  return bytes;
}

// False unless the pages cover the row group in order and lie inside the chunk.
bool ToPlaces(const std::vector<parquet::PageLocation>& locations, const ColumnChunk& chunk,
              int64_t rows, std::vector<PagePlace>* places) {
  for (size_t i = 0; i < locations.size(); ++i) {
    const auto& location = locations[i];
    const int64_t next = i + 1 < locations.size() ? locations[i + 1].first_row_index : rows;
    const PagePlace place{location.offset, location.compressed_page_size, location.first_row_index,
                          next - location.first_row_index};
    const bool inside = place.offset >= chunk.offset && place.length > 0 &&
                        place.length <= chunk.length &&
                        place.offset - chunk.offset <= chunk.length - place.length;
    if (!inside || place.num_rows <= 0) return false;
    places->push_back(place);
  }
  return !places->empty() && places->front().first_row == 0;
}

// The claimed range of each page; 'dead' when it holds nothing but nulls.
struct PageZone {
  bool dead = false;
  columns::Zone zone;
};

base::Result<std::vector<PageZone>> ReadPageZones(const DataFile& file, const ParquetFooter& footer,
                                                  int row_group, int column) {
  const FileColumn& described = footer.columns[column];
  const auto group = footer.metadata->RowGroup(row_group);
  const auto chunk = group->ColumnChunk(described.leaf);
  SVM_ASSIGN_OR_RETURN(const auto bytes, ReadIndex(file, chunk->GetColumnIndexLocation()));
  if (bytes.empty()) return std::vector<PageZone>();
  const auto index = parquet::ColumnIndex::Make(*footer.metadata->schema()->Column(described.leaf),
                                                bytes.data(), static_cast<uint32_t>(bytes.size()),
                                                parquet::default_reader_properties());
  const auto load = [&](const std::string& text, int64_t* out) {
    return LoadValue(described.form, reinterpret_cast<const uint8_t*>(text.data()),
                     static_cast<int64_t>(text.size()), out);
  };
  std::vector<PageZone> zones(index->null_pages().size());
  for (size_t i = 0; i < zones.size(); ++i) {
    columns::Zone& zone = zones[i].zone;
    zones[i].dead = index->null_pages()[i];
    zone.known = !zones[i].dead && load(index->encoded_min_values().at(i), &zone.min) &&
                 load(index->encoded_max_values().at(i), &zone.max);
  }
  return zones;
}

void Add(RowRanges* ranges, int64_t begin, int64_t end) {
  if (!ranges->empty() && ranges->back().second == begin) {
    ranges->back().second = end;
  } else {
    ranges->emplace_back(begin, end);
  }
}

}  // namespace

RowRanges Intersect(const RowRanges& a, const RowRanges& b) {
  RowRanges both;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t begin = std::max(a[i].first, b[j].first);
    const int64_t end = std::min(a[i].second, b[j].second);
    if (begin < end) both.emplace_back(begin, end);
    a[i].second < b[j].second ? ++i : ++j;
  }
  return both;
}

bool Overlaps(const RowRanges& ranges, int64_t begin, int64_t end) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const auto& range) { return range.first < end && begin < range.second; });
}

int64_t CountRows(const RowRanges& ranges) {
  int64_t rows = 0;
  for (const auto& [begin, end] : ranges) rows += end - begin;
  return rows;
}

base::Result<std::optional<std::vector<PagePlace>>> ReadPagePlaces(const DataFile& file,
                                                                   const ParquetFooter& footer,
                                                                   int row_group, int column) {
  using Places = std::optional<std::vector<PagePlace>>;
  const auto group = footer.metadata->RowGroup(row_group);
  const auto chunk = group->ColumnChunk(footer.columns[column].leaf);
  SVM_ASSIGN_OR_RETURN(const auto bytes, ReadIndex(file, chunk->GetOffsetIndexLocation()));
  if (bytes.empty()) return Places();
  try {
    const auto index = parquet::OffsetIndex::Make(bytes.data(), static_cast<uint32_t>(bytes.size()),
                                                  parquet::default_reader_properties());
    std::vector<PagePlace> places;
    const bool sound = ToPlaces(index->page_locations(), footer.chunks[row_group][column],
                                footer.row_group_rows[row_group], &places);
    return sound ? Places(std::move(places)) : Places();
  } catch (const std::exception&) {
    return Places();
  }
}

base::Result<RowRanges> ReadLiveRows(const DataFile& file, const ParquetFooter& footer,
                                     int row_group, int column, int64_t min, int64_t max) {
  const RowRanges all{{0, footer.row_group_rows[row_group]}};
  SVM_ASSIGN_OR_RETURN(const auto places, ReadPagePlaces(file, footer, row_group, column));
  if (!places.has_value()) return all;
  try {
    SVM_ASSIGN_OR_RETURN(const auto zones, ReadPageZones(file, footer, row_group, column));
    if (zones.size() != places->size()) return all;
    RowRanges live;
    for (size_t i = 0; i < zones.size(); ++i) {
      const columns::Zone& zone = zones[i].zone;
      const bool excluded = zones[i].dead || (zone.known && (zone.max < min || zone.min > max));
      const PagePlace& place = (*places)[i];
      if (!excluded) Add(&live, place.first_row, place.first_row + place.num_rows);
    }
    return live;
  } catch (const std::exception&) {
    return all;
  }
}

}  // namespace shadowvm::storage
