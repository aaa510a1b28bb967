// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/storage/table_contents.h"

namespace shadowvm::storage {

// A table of Parquet files, as one query sees it. Light: the files' contents are shared. String
// layouts are fixed at first sight, so that a kernel and the segments it is given agree; when
// another layout becomes necessary while the query runs, Read says kLayoutChanged and the query
// starts over on a new ParquetTable.
//
// Columns of types we do not hold are left out of schema(), which names them.
class ParquetTable : public columns::TableSource {
 public:
  // Files, folders, or folders of key=value folders, without a registry: the footers are read anew.
  static base::Result<std::shared_ptr<ParquetTable>> Open(std::span<const std::string> paths,
                                                          const StorageContext& context);
  ParquetTable(std::string name, std::shared_ptr<TableContents> contents, BoundColumns columns);

  std::string name() const override { return name_; }
  const columns::Schema& schema() const override { return schema_; }
  int num_segments() const override;
  int64_t segment_rows(int segment) const override;
  base::Result<columns::Layout> layout(int column) override;
  columns::Zone zone(int segment, int column) const override;
  columns::Zone zone(int column) const override;
  std::shared_ptr<columns::Dictionary> dictionary(int column) override;
  bool dictionary_complete(int column) const override;
  base::Result<std::shared_ptr<const columns::Segment>> Read(
      int segment, std::span<const int> columns, std::span<const columns::ZoneFilter> filters,
      base::Spans* spans) override;

  bool IsResident(int segment, std::span<const int> columns) const override;
  std::vector<std::shared_ptr<const columns::Segment>> FindResident(
      std::span<const int> segments, std::span<const int> columns) override;
  void BeginQuery();
  const TableContents& contents() const { return *contents_; }
  std::shared_ptr<const TableContents> shared_contents() const { return contents_; }
  // Its address names the column's values: tables of the same contents share it.
  const TableColumn& column(int ordinal) const { return columns_[ordinal]->column; }

 private:
  base::Result<TextLayout> Pin(int column);
  base::Result<std::optional<LiveParts>> ChooseLive(int segment, std::span<const int> columns,
                                                    std::span<const columns::ZoneFilter> filters,
                                                    LazyFile* file);

  std::string name_;
  std::shared_ptr<TableContents> contents_;
  columns::Schema schema_;
  std::vector<SharedColumn*> columns_;  // one per field, of contents_
  uint64_t generation_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::optional<TextLayout>> pinned_;  // by column, text only
};

// Before a table is read by another query than it was opened for, as if it had been opened again:
// segments that were read since then are in its way otherwise.
void BeginQuery(columns::TableSource* table);

// Whether files that a table was opened from are still the same. False for folders, which must be
// listed to know.
bool IsUnchanged(std::span<const std::string> paths, const columns::TableSource& table);

// Whether two tables, opened from the same source, hold the same values.
bool HasSameValues(const columns::TableSource& a, const columns::TableSource& b);

}  // namespace shadowvm::storage
