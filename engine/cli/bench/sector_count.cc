// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/bench/sector_count.h"

#include <arrow/array.h>
#include <arrow/table.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "engine/schedule/parallel.h"

namespace shadowvm::cli {
namespace {

using base::Result;
using base::Status;
using client::Col;
using client::Expr;
using client::Frame;

constexpr int64_t kSectorBytes = 32;

// A column, and which of its values pass: those of a query's only column, those of a range, or all.
struct ReadColumn {
  std::string name;
  std::optional<Frame> keys = {};
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
};
using ReadColumns = std::vector<ReadColumn>;

// --- what each query reads ---

class Reads {
 public:
  explicit Reads(const SsbTables& tables) : tables_(tables) {}

  ReadColumn Days(const Expr& condition) const {
    return {"lo_orderdate", tables_.date.Filter(condition).Select({"d_datekey"})};
  }
  ReadColumn Parts(const Expr& condition) const {
    return {"lo_partkey", tables_.part.Filter(condition).Select({"p_partkey"})};
  }
  ReadColumn Suppliers(const Expr& condition) const {
    return {"lo_suppkey", tables_.supplier.Filter(condition).Select({"s_suppkey"})};
  }
  ReadColumn Customers(const Expr& condition) const {
    return {"lo_custkey", tables_.customer.Filter(condition).Select({"c_custkey"})};
  }

  Result<ReadColumns> Of(const std::string& query) const {
    if (query.starts_with("q1.")) return Flight1(query);
    if (query.starts_with("q2.")) return Flight2(query);
    if (query.starts_with("q3.")) return Flight3(query);
    if (query.starts_with("q4.")) return Flight4(query);
    return base::MakeError(base::ErrorCode::kBadCommand, "no query is called '" + query + "'");
  }

 private:
  static Expr Either(const char* column, const char* a, const char* b) {
    return Col(column) == a || Col(column) == b;
  }
  static Expr Years(int low, int high) { return Col("d_year") >= low && Col("d_year") <= high; }

  ReadColumns Flight1(const std::string& query) const {
    if (query == "q1.1") return Lines(Col("d_year") == 1993, 1, {0, 24});
    if (query == "q1.2") return Lines(Col("d_yearmonthnum") == 199401, 4, {26, 35});
    return Lines(Col("d_weeknuminyear") == 6 && Col("d_year") == 1994, 5, {26, 35});
  }
  // Discounts are three in a row.
  ReadColumns Lines(const Expr& days, int discount, std::pair<int, int> quantity) const {
    return {Days(days),
            {"lo_discount", {}, discount, discount + 2},
            {"lo_quantity", {}, quantity.first, quantity.second},
            {"lo_extendedprice"}};
  }

  ReadColumns Flight2(const std::string& query) const {
    const auto read = [&](const Expr& parts, const char* region) -> ReadColumns {
      return {Parts(parts), Suppliers(Col("s_region") == region), {"lo_orderdate"}, {"lo_revenue"}};
    };
    if (query == "q2.1") return read(Col("p_category") == "MFGR#12", "AMERICA");
    if (query == "q2.2") return read(Col("p_brand1").Between("MFGR#2221", "MFGR#2228"), "ASIA");
    return read(Col("p_brand1") == "MFGR#2239", "EUROPE");
  }

  ReadColumns Flight3(const std::string& query) const {
    const auto read = [&](const Expr& customers, const Expr& suppliers) -> ReadColumns {
      return {Customers(customers), Suppliers(suppliers), Days(Years(1992, 1997)), {"lo_revenue"}};
    };
    if (query == "q3.1") return read(Col("c_region") == "ASIA", Col("s_region") == "ASIA");
    if (query == "q3.2") {
      return read(Col("c_nation") == "UNITED STATES", Col("s_nation") == "UNITED STATES");
    }
    const Expr customers = Either("c_city", "UNITED KI1", "UNITED KI5");
    const Expr suppliers = Either("s_city", "UNITED KI1", "UNITED KI5");
    if (query == "q3.3") return read(customers, suppliers);
    return {Days(Col("d_yearmonth") == "Dec1997"),
            Customers(customers),
            Suppliers(suppliers),
            {"lo_revenue"}};
  }

  ReadColumns Flight4(const std::string& query) const {
    const ReadColumn customers = Customers(Col("c_region") == "AMERICA");
    const ReadColumn suppliers = Suppliers(Col("s_region") == "AMERICA");
    const ReadColumn parts = Parts(Either("p_mfgr", "MFGR#1", "MFGR#2"));
    const ReadColumn late = Days(Years(1997, 1998));
    ReadColumns read;
    if (query == "q4.1") {
      read = {customers, suppliers, parts, {"lo_orderdate"}};
    } else if (query == "q4.2") {
      read = {late, customers, suppliers, parts};
    } else {
      read = {Suppliers(Col("s_nation") == "UNITED STATES"), Parts(Col("p_category") == "MFGR#14"),
              late, customers};
    }
    read.push_back({"lo_revenue"});
    read.push_back({"lo_supplycost"});
    return read;
  }

  const SsbTables& tables_;
};

// --- which values pass ---

// Values of a query's only column, or a range.
class Passing {
 public:
  static Result<Passing> Of(exec::Engine* engine, const ReadColumn& column) {
    Passing passing(column.low, column.high);
    if (!column.keys) return passing;
    SVM_ASSIGN_OR_RETURN(const auto answer,
                         engine->Run(column.keys->ToCommand(), {.mode = schedule::Mode::kCpu}));
    std::vector<int64_t> keys;
    for (const auto& chunk : answer->column(0)->chunks()) {
      if (chunk->type_id() != arrow::Type::INT32) {
        return base::MakeError(base::ErrorCode::kInternal, column.name + ": keys are no int32");
      }
      const auto& values = static_cast<const arrow::Int32Array&>(*chunk);
      keys.insert(keys.end(), values.raw_values(), values.raw_values() + values.length());
    }
    passing.Take(keys);
    return passing;
  }

  bool Has(int64_t value) const {
    if (value < low_ || value > high_) return false;
    return bits_.empty() || bits_[static_cast<size_t>(value - low_)];
  }

 private:
  Passing(int64_t low, int64_t high) : low_(low), high_(high) {}

  void Take(const std::vector<int64_t>& keys) {
    low_ = keys.empty() ? 1 : *std::min_element(keys.begin(), keys.end());
    high_ = keys.empty() ? 0 : *std::max_element(keys.begin(), keys.end());
    bits_.resize(static_cast<size_t>(high_ - low_ + 1));
    for (const int64_t key : keys) bits_[static_cast<size_t>(key - low_)] = true;
  }

  int64_t low_, high_;
  std::vector<bool> bits_;  // from low on; empty: all up to high
};

// --- counting ---

// Rows of one segment, and which of them are left.
class SegmentRows {
 public:
  explicit SegmentRows(int64_t num_rows) : alive_(static_cast<size_t>(num_rows), 1) {}

  // Drops rows whose value does not pass; tells how many bytes had to be read for it.
  int64_t Read(const columns::ColumnSegment& column, int width, const Passing& passing) {
    switch (width) {
      case 1:
        return ReadValues<uint8_t>(column, passing);
      case 2:
        return ReadValues<uint16_t>(column, passing);
      case 4:
        return ReadValues<uint32_t>(column, passing);
      default:
        return ReadValues<uint64_t>(column, passing);
    }
  }
  int64_t num_alive() const { return std::count(alive_.begin(), alive_.end(), 1); }

 private:
  template <typename Offset>
  int64_t ReadValues(const columns::ColumnSegment& column, const Passing& passing) {
    constexpr size_t kRows = kSectorBytes / sizeof(Offset);
    const auto* const offsets = reinterpret_cast<const Offset*>(column.data->data());
    int64_t bytes = 0;
    for (size_t begin = 0; begin < alive_.size(); begin += kRows) {
      const size_t end = std::min(begin + kRows, alive_.size());
      bool touched = false;
      for (size_t row = begin; row < end; ++row) {
        if (alive_[row] == 0) continue;
        touched = true;
        alive_[row] = passing.Has(column.base + static_cast<int64_t>(offsets[row])) ? 1 : 0;
      }
      if (touched) bytes += kSectorBytes;
    }
    return bytes;
  }

  std::vector<uint8_t> alive_;
};

// A column as the count sees it.
struct Counted {
  int ordinal = 0;
  int width = 0;
  Passing passing;
};

Result<Counted> Prepare(exec::Engine* engine, columns::TableSource* table,
                        const ReadColumn& column) {
  const int ordinal = table->schema().Find(column.name);
  if (ordinal < 0) return base::MakeError(base::ErrorCode::kUnknownColumn, column.name);
  SVM_ASSIGN_OR_RETURN(const columns::Layout layout, table->layout(ordinal));
  if (layout.encoding != columns::Encoding::kFrame) {
    return base::MakeError(base::ErrorCode::kUnsupportedType, column.name + ": not framed");
  }
  SVM_ASSIGN_OR_RETURN(Passing passing, Passing::Of(engine, column));
  return Counted{ordinal, layout.width, std::move(passing)};
}

}  // namespace

Result<SectorCount> CountSectors(exec::Engine* engine, const SsbTables& tables,
                                 columns::TableSource* lineorder, const std::string& query) {
  SVM_ASSIGN_OR_RETURN(const ReadColumns reads, Reads(tables).Of(query));
  SectorCount count;
  std::vector<Counted> counted;
  std::vector<int> ordinals;
  for (const ReadColumn& read : reads) {
    SVM_ASSIGN_OR_RETURN(Counted column, Prepare(engine, lineorder, read));
    ordinals.push_back(column.ordinal);
    counted.push_back(std::move(column));
    count.columns.push_back({read.name});
  }
  std::mutex mutex;
  SVM_RETURN_NOT_OK(schedule::ParallelFor(
      {&engine->device(), nullptr}, lineorder->num_segments(), [&](int, int64_t number) -> Status {
        SVM_ASSIGN_OR_RETURN(const auto segment,
                             lineorder->Read(static_cast<int>(number), ordinals, {}, nullptr));
        SegmentRows rows(segment->num_rows);
        std::vector<int64_t> touched;
        for (size_t i = 0; i < counted.size(); ++i) {
          touched.push_back(rows.Read(*segment->columns[i], counted[i].width, counted[i].passing));
        }
        std::lock_guard lock(mutex);
        for (size_t i = 0; i < counted.size(); ++i) {
          count.columns[i].bytes += segment->num_rows * counted[i].width;
          count.columns[i].touched_bytes += touched[i];
        }
        count.rows += rows.num_alive();
        return Status::OK();
      }));
  return count;
}

}  // namespace shadowvm::cli
