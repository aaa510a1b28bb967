// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/memory/budget.h"
#include "engine/storage/column_reader.h"
#include "engine/storage/file_set.h"
#include "engine/storage/segment_cache.h"
#include "engine/storage/table_column.h"
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

// A column of a set of files that all queries share.
struct SharedColumn {
  int number = 0;    // within its TableContents
  std::string name;  // as the first query called it
  TableColumn column;
  std::unique_ptr<TextColumn> text;  // null unless it holds text

  SharedColumn(int ordinal, std::string called, const FileSet& files, ColumnOrigin origin);
};

// The columns of a set of files, decoded on demand and shared by all queries over those files,
// which may read them under different schemas: table dictionaries and cached segments belong here.
// Thread-safe.
class TableContents {
 public:
  TableContents(Footers footers, const StorageContext& context);
  ~TableContents();
  TableContents(const TableContents&) = delete;
  TableContents& operator=(const TableContents&) = delete;

  const FileSet& files() const { return files_; }
  const StorageContext& context() const { return context_; }

  // The column of that origin, the same for all who ask. It lives as long as the contents.
  SharedColumn& Share(const std::string& name, const ColumnOrigin& origin);
  int num_columns() const;

  // The layout of a string column; reads its first segment when nobody has.
  base::Result<TextLayout> DecideText(SharedColumn& column, uint64_t generation);

  // One whole column segment, from the cache if it is there. 'text' is the layout the caller works
  // with; kLayoutChanged when the column has another by now.
  base::Result<std::shared_ptr<const columns::ColumnSegment>> Read(SharedColumn& column,
                                                                   int segment,
                                                                   const TextLayout& text,
                                                                   uint64_t generation,
                                                                   LazyFile* file);
  // Some rows of it, never cached; the whole if that is in the cache.
  base::Result<std::shared_ptr<const columns::ColumnSegment>> ReadLive(
      SharedColumn& column, int segment, const TextLayout& text, uint64_t generation,
      const LiveParts& live, LazyFile* file);
  // Whether the cache holds a column of a segment.
  bool Holds(const SharedColumn& column, int segment) const;
  // A column of these segments as far as the cache holds it, null for others.
  std::vector<std::shared_ptr<const columns::ColumnSegment>> FindAll(const SharedColumn& column,
                                                                     std::span<const int> segments,
                                                                     const TextLayout& text,
                                                                     uint64_t generation);
  // Whether the cache holds these columns of a segment or would keep them.
  bool Keeps(int segment, std::span<SharedColumn* const> columns, uint64_t generation);

 private:
  using Loaded = base::Result<std::shared_ptr<const columns::ColumnSegment>>;

  SegmentKey KeyOf(const SharedColumn& column, int segment, const TextLayout& text) const;
  Loaded Decode(SharedColumn& column, int segment, const TextLayout& text, const LiveParts& live,
                LazyFile* file);
  Loaded DecodeFirst(const SharedColumn& column,
                     const std::shared_ptr<columns::Dictionary>& dictionary, LazyFile* file);
  // Reads the file only where it holds the column.
  Loaded ReadFrom(LazyFile* file, const SharedColumn& column, const ColumnRequest& request,
                  const LiveParts& live) const;
  base::Status InternPartition(const SharedColumn& column, columns::Dictionary* dictionary);
  ColumnRequest RequestFor(const SharedColumn& column, int segment, const TextLayout& text) const;
  base::Status CheckVersion(const SharedColumn& column, const TextLayout& text) const;

  const FileSet files_;
  StorageContext context_;
  uint64_t id_ = 0;
  mutable std::mutex mutex_;
  std::deque<SharedColumn> columns_;  // grows; its elements stay where they are
};

}  // namespace shadowvm::storage
