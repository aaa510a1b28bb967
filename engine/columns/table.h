// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/span.h"
#include "engine/base/status.h"
#include "engine/columns/segment.h"
#include "engine/columns/type.h"

namespace shadowvm::columns {

// Some columns of one run of rows, as asked for: columns[i] is the i-th requested column. Holding
// it keeps the memory alive.
struct Segment {
  int64_t num_rows = 0;
  std::vector<std::shared_ptr<const ColumnSegment>> columns;
  // Row ranges [begin, end) that may hold rows of interest; pages outside them were skipped and
  // hold nothing. Empty: all rows.
  std::vector<std::pair<int64_t, int64_t>> live;
};

// A condition on a framed column that rows of interest must meet: min <= value <= max. Sources use
// it to skip row groups and pages; they may ignore it. Rows that pass are still filtered by the
// kernel.
struct ZoneFilter {
  int column = 0;  // ordinal in the source's schema
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
};

// Where a pipeline's rows come from: a table in segments of at most kSegmentRows rows, read one
// segment at a time by any worker. Files, generated data, Arrow tables and the results of earlier
// pipelines all look like this.
//
// Thread-safe; everything but Read is cheap and does not touch data.
class TableSource {
 public:
  virtual ~TableSource() = default;

  virtual std::string name() const = 0;  // for errors and generated text: "lineorder"
  virtual const Schema& schema() const = 0;
  virtual int num_segments() const = 0;
  virtual int64_t segment_rows(int segment) const = 0;

  // The layout of a column in every segment. May read the first segment of a string column to
  // decide.
  virtual base::Result<Layout> layout(int column) = 0;
  // Of one segment, and of the whole table. Known without reading data, or not known.
  virtual Zone zone(int segment, int column) const = 0;
  virtual Zone zone(int column) const = 0;
  // The table dictionary of a kCodes column; null for others.
  virtual std::shared_ptr<Dictionary> dictionary(int column) = 0;
  // True when the dictionary will not grow any more.
  virtual bool dictionary_complete(int column) const = 0;

  // Reads a segment's columns, from memory if they are there. 'filters' may be used to skip pages.
  // kFileChanged if the file is not the one this source was opened on; kCorruptFile names file and
  // column.
  virtual base::Result<std::shared_ptr<const Segment>> Read(int segment,
                                                            std::span<const int> columns,
                                                            std::span<const ZoneFilter> filters,
                                                            base::Spans* spans) = 0;

  // Whether Read would find all of it in memory. A hint: work on resident segments can be cut
  // small.
  virtual bool IsResident(int segment, std::span<const int> columns) const { return false; }
  // Of these segments the ones that are in memory with all of the columns; null for others. Cheaper
  // than to Read each, for who reads many at once.
  virtual std::vector<std::shared_ptr<const Segment>> FindResident(std::span<const int> segments,
                                                                   std::span<const int> columns) {
    return std::vector<std::shared_ptr<const Segment>>(segments.size());
  }

  int64_t num_rows() const {
    int64_t rows = 0;
    for (int i = 0; i < num_segments(); ++i) rows += segment_rows(i);
    return rows;
  }
};

// A table that lies in memory: Arrow data brought in, generated data, the result of a pipeline.
class MemoryTable : public TableSource {
 public:
  struct Column {
    Layout layout;
    std::shared_ptr<Dictionary> dictionary;  // kCodes only
    std::vector<std::shared_ptr<const ColumnSegment>> segments;
  };
  // Every column has the same number of segments with the same row counts.
  MemoryTable(std::string name, Schema schema, std::vector<Column> columns);

  std::string name() const override { return name_; }
  const Schema& schema() const override { return schema_; }
  int num_segments() const override;
  int64_t segment_rows(int segment) const override;
  base::Result<Layout> layout(int column) override { return columns_[column].layout; }
  Zone zone(int segment, int column) const override;
  Zone zone(int column) const override;
  std::shared_ptr<Dictionary> dictionary(int column) override {
    return columns_[column].dictionary;
  }
  bool dictionary_complete(int) const override { return true; }
  base::Result<std::shared_ptr<const Segment>> Read(int segment, std::span<const int> columns,
                                                    std::span<const ZoneFilter> filters,
                                                    base::Spans* spans) override;

  bool IsResident(int, std::span<const int>) const override { return true; }
  std::vector<std::shared_ptr<const Segment>> FindResident(std::span<const int> segments,
                                                           std::span<const int> columns) override;

  const Column& column(int ordinal) const { return columns_[ordinal]; }
  int64_t bytes() const;

 private:
  std::shared_ptr<const Segment> Gather(int segment, std::span<const int> columns) const;

  std::string name_;
  Schema schema_;
  std::vector<Column> columns_;
  std::vector<int64_t> segment_rows_;
};

}  // namespace shadowvm::columns
