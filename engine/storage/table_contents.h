// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/memory/budget.h"
#include "engine/storage/column_reader.h"
#include "engine/storage/parquet_files.h"
#include "engine/storage/segment_cache.h"
#include "engine/storage/text_column.h"

namespace shadowvm::storage {

// What storage works with. The budget and the cache outlive every table.
struct StorageContext {
  memory::MemoryBudget* budget = nullptr;
  SegmentCache* cache = nullptr;  // null: nothing is kept
  bool verify_checksums = true;   // of pages that have one
};

// A file that is opened when the first column needs it.
class LazyFile {
 public:
  explicit LazyFile(const ParquetFooter& footer) : footer_(footer) {}
  base::Result<const DataFile*> Get();

 private:
  const ParquetFooter& footer_;
  std::optional<DataFile> file_;
};

// The columns of a set of files, decoded on demand and shared by all queries over those files:
// table dictionaries and cached segments belong here. Thread-safe.
class TableContents {
 public:
  TableContents(std::shared_ptr<const ParquetFiles> files, const StorageContext& context);
  ~TableContents();
  TableContents(const TableContents&) = delete;
  TableContents& operator=(const TableContents&) = delete;

  const ParquetFiles& files() const { return *files_; }
  const StorageContext& context() const { return context_; }
  TextColumn& text(int column) { return *texts_[column]; }

  // The layout of a string column; reads its first segment when nobody has.
  base::Result<TextLayout> DecideText(int column, uint64_t generation);

  // One whole column segment, from the cache if it is there. 'text' is the layout the caller works
  // with; kLayoutChanged when the column has another by now.
  base::Result<std::shared_ptr<const columns::ColumnSegment>> Read(int column, int segment,
                                                                   const TextLayout& text,
                                                                   uint64_t generation,
                                                                   LazyFile* file);
  // Some rows of it, never cached; the whole if that is in the cache.
  base::Result<std::shared_ptr<const columns::ColumnSegment>> ReadLive(int column, int segment,
                                                                       const TextLayout& text,
                                                                       uint64_t generation,
                                                                       const LiveParts& live,
                                                                       LazyFile* file);
  // Whether the cache holds a column of a segment.
  bool Holds(int column, int segment) const;
  // Whether the cache holds these columns of a segment or would keep them.
  bool Keeps(int segment, std::span<const int> columns, uint64_t generation);

 private:
  using Loaded = base::Result<std::shared_ptr<const columns::ColumnSegment>>;
  SegmentKey KeyOf(int column, int segment, const TextLayout& text) const;
  Loaded Decode(int column, int segment, const TextLayout& text, const LiveParts& live,
                LazyFile* file);
  Loaded DecodeFirst(int column, const std::shared_ptr<columns::Dictionary>& dictionary,
                     LazyFile* file);
  base::Status InternPartition(int column, columns::Dictionary* dictionary);
  ColumnRequest RequestFor(int column, int segment, const TextLayout& text) const;
  base::Status CheckVersion(int column, const TextLayout& text) const;

  std::shared_ptr<const ParquetFiles> files_;
  StorageContext context_;
  uint64_t id_ = 0;
  std::vector<std::unique_ptr<TextColumn>> texts_;  // null for columns that hold no text
};

}  // namespace shadowvm::storage
