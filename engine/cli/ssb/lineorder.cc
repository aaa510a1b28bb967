// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include <arrow/array.h>
#include <arrow/buffer.h>
#include <arrow/builder.h>

#include <algorithm>
#include <array>

#include "engine/base/fault.h"
#include "engine/cli/ssb/calendar.h"
#include "engine/cli/ssb/names.h"
#include "engine/cli/ssb/order_index.h"
#include "engine/cli/ssb/row_writer.h"
#include "engine/cli/ssb/streams.h"
#include "engine/cli/ssb/table_generator.h"

namespace shadowvm::cli::ssb {
namespace {

// Columns in the order of the specification.
enum Column {
  kOrderKey,
  kLineNumber,
  kCustKey,
  kPartKey,
  kSuppKey,
  kOrderDate,
  kOrderPriority,
  kShipPriority,
  kQuantity,
  kExtendedPrice,
  kOrdTotalPrice,
  kDiscount,
  kRevenue,
  kSupplyCost,
  kTax,
  kCommitDate,
  kShipMode,
  kNumColumns
};

// What the lines of an order share.
struct Order {
  int32_t key;
  int32_t custkey;
  int32_t day;
  int32_t total_price;
  int priority;
};

struct Line {
  int32_t partkey;
  int32_t suppkey;
  int32_t quantity;
  int32_t extended_price;
  int32_t discount;
  int32_t revenue;
  int32_t supply_cost;
  int32_t tax;
  int32_t commit_day;
  int ship_mode;
};

// The columns of one batch while they are filled. Int columns are written in place: this is the hot
// loop.
class BatchColumns {
 public:
  static base::Result<BatchColumns> Make(int64_t num_rows) {
    SVM_FAULT_POINT("gen.lineorder.allocate");
    BatchColumns columns;
    columns.num_rows_ = num_rows;
    for (int i = 0; i < kNumColumns; ++i) {
      if (i == kOrderPriority || i == kShipMode) continue;
      SVM_ASSIGN_OR_RETURN(columns.buffers_[i], arrow::AllocateBuffer(num_rows * sizeof(int32_t)));
      columns.ints_[i] = reinterpret_cast<int32_t*>(columns.buffers_[i]->mutable_data());
    }
    SVM_RETURN_NOT_OK(columns.Reserve(&columns.priority_));
    SVM_RETURN_NOT_OK(columns.Reserve(&columns.ship_mode_));
    return columns;
  }

  void Append(const Order& order, int line_number, const Line& line,
              const std::vector<int32_t>& date_keys) {
    const int64_t row = next_++;
    ints_[kOrderKey][row] = order.key;
    ints_[kLineNumber][row] = line_number;
    ints_[kCustKey][row] = order.custkey;
    ints_[kPartKey][row] = line.partkey;
    ints_[kSuppKey][row] = line.suppkey;
    ints_[kOrderDate][row] = date_keys[order.day];
    ints_[kShipPriority][row] = 0;
    ints_[kQuantity][row] = line.quantity;
    ints_[kExtendedPrice][row] = line.extended_price;
    ints_[kOrdTotalPrice][row] = order.total_price;
    ints_[kDiscount][row] = line.discount;
    ints_[kRevenue][row] = line.revenue;
    ints_[kSupplyCost][row] = line.supply_cost;
    ints_[kTax][row] = line.tax;
    ints_[kCommitDate][row] = date_keys[line.commit_day];
    priority_.UnsafeAppend(kOrderPriorities[order.priority]);
    ship_mode_.UnsafeAppend(kShipModes[line.ship_mode]);
  }

  base::Result<std::shared_ptr<arrow::RecordBatch>> Finish(
      const std::shared_ptr<arrow::Schema>& schema) {
    std::vector<std::shared_ptr<arrow::Array>> arrays(kNumColumns);
    for (int i = 0; i < kNumColumns; ++i) {
      if (buffers_[i] == nullptr) continue;
      arrays[i] = std::make_shared<arrow::Int32Array>(num_rows_, std::move(buffers_[i]));
    }
    SVM_ASSIGN_OR_RETURN(arrays[kOrderPriority], priority_.Finish());
    SVM_ASSIGN_OR_RETURN(arrays[kShipMode], ship_mode_.Finish());
    return arrow::RecordBatch::Make(schema, num_rows_, std::move(arrays));
  }

 private:
  static constexpr int64_t kLongestWord = 11;  // "4-NOT SPECI"

  base::Status Reserve(arrow::StringBuilder* builder) const {
    SVM_RETURN_NOT_OK(builder->Reserve(num_rows_));
    return builder->ReserveData(num_rows_ * kLongestWord);
  }

  int64_t num_rows_ = 0;
  int64_t next_ = 0;
  std::array<std::shared_ptr<arrow::Buffer>, kNumColumns> buffers_;
  std::array<int32_t*, kNumColumns> ints_{};
  arrow::StringBuilder priority_;
  arrow::StringBuilder ship_mode_;
};

std::shared_ptr<arrow::Schema> LineorderSchema() {
  return arrow::schema({IntField("lo_orderkey"), IntField("lo_linenumber"), IntField("lo_custkey"),
                        IntField("lo_partkey"), IntField("lo_suppkey"), IntField("lo_orderdate"),
                        TextField("lo_orderpriority"), IntField("lo_shippriority"),
                        IntField("lo_quantity"), IntField("lo_extendedprice"),
                        IntField("lo_ordtotalprice"), IntField("lo_discount"),
                        IntField("lo_revenue"), IntField("lo_supplycost"), IntField("lo_tax"),
                        IntField("lo_commitdate"), TextField("lo_shipmode")});
}

class Lineorder final : public TableGenerator {
 public:
  explicit Lineorder(const Scale& scale)
      : scale_(scale),
        schema_(LineorderSchema()),
        index_(scale.seed, scale.num_orders),
        date_keys_(kNumDays) {
    for (int day = 0; day < kNumDays; ++day) date_keys_[day] = DateKeyOf(day);
  }

  std::string name() const override { return "lineorder"; }
  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  int64_t num_rows() const override { return index_.num_rows(); }

  std::vector<std::string> columns_without_dictionary() const override {
    std::vector<std::string> columns = {"lo_orderkey", "lo_extendedprice", "lo_ordtotalprice",
                                        "lo_revenue"};
    // A dictionary page holds about a MiB: keys of larger tables overflow it half way through a row
    // group.
    if (scale_.num_customers > kMaxDictionaryKeys) columns.push_back("lo_custkey");
    if (scale_.num_suppliers > kMaxDictionaryKeys) columns.push_back("lo_suppkey");
    if (scale_.num_parts > kMaxDictionaryKeys) columns.push_back("lo_partkey");
    return columns;
  }

  base::Result<std::shared_ptr<arrow::RecordBatch>> Generate(int64_t first,
                                                             int64_t count) const override {
    SVM_ASSIGN_OR_RETURN(BatchColumns columns, BatchColumns::Make(count));
    auto [order, first_line] = count > 0 ? index_.Find(first) : OrderIndex::Position{};
    for (int64_t left = count; left > 0; ++order, first_line = 0) {
      const int num_lines = index_.num_lines(order);
      const auto lines = MakeLines(order, num_lines);
      const Order head = MakeOrder(order, lines, num_lines);
      const int end = static_cast<int>(std::min<int64_t>(num_lines, first_line + left));
      for (int i = first_line; i < end; ++i) columns.Append(head, i + 1, lines[i], date_keys_);
      left -= end - first_line;
    }
    return columns.Finish(schema_);
  }

 private:
  using Lines = std::array<Line, OrderIndex::kMaxLines>;
  static constexpr int64_t kMaxDictionaryKeys = 256 * 1024;

  Lines MakeLines(int64_t order, int num_lines) const {
    Lines lines;
    const int32_t day = order_date_.Uniform(order, 0, kLastOrderDay);
    for (int i = 0; i < num_lines; ++i) lines[i] = MakeLine(order * 8 + i, day);
    return lines;
  }

  Line MakeLine(uint64_t number, int32_t order_day) const {
    Line line;
    line.partkey = part_.Uniform(number, 1, static_cast<int32_t>(scale_.num_parts));
    line.suppkey = supplier_.Uniform(number, 1, static_cast<int32_t>(scale_.num_suppliers));
    line.quantity = quantity_.Uniform(number, 1, 50);
    line.discount = discount_.Uniform(number, 0, 10);
    line.tax = tax_.Uniform(number, 0, 8);
    line.commit_day = order_day + commit_.Uniform(number, 30, 90);
    line.ship_mode = ship_mode_.Uniform(number, 0, 6);
    const int32_t price = PartPrice(line.partkey);
    line.extended_price = price * line.quantity;
    line.revenue = static_cast<int32_t>(int64_t{line.extended_price} * (100 - line.discount) / 100);
    line.supply_cost = 6 * price / 10;
    return line;
  }

  Order MakeOrder(int64_t number, const Lines& lines, int num_lines) const {
    Order order;
    // Of every 32 keys the first 8 are used, as in TPC-H.
    order.key = static_cast<int32_t>((number + 1) / 8 * 32 + (number + 1) % 8);
    order.custkey = CustomerOf(number);
    order.day = order_date_.Uniform(number, 0, kLastOrderDay);
    order.priority = priority_.Uniform(number, 0, 4);
    order.total_price = 0;
    for (int i = 0; i < num_lines; ++i) {
      order.total_price +=
          static_cast<int32_t>(int64_t{lines[i].revenue} * (100 + lines[i].tax) / 100);
    }
    return order;
  }

  // Every third customer never orders.
  int32_t CustomerOf(int64_t order) const {
    const auto last = static_cast<int32_t>(scale_.num_customers);
    const int32_t key = customer_.Uniform(order, 1, last);
    if (key % 3 != 0) return key;
    return key < last ? key + 1 : key - 1;
  }

  RandomStream Stream(uint64_t number) const { return {scale_.seed, number}; }

  Scale scale_;
  std::shared_ptr<arrow::Schema> schema_;
  OrderIndex index_;
  std::vector<int32_t> date_keys_;
  RandomStream customer_ = Stream(streams::kOrderCustomer);
  RandomStream order_date_ = Stream(streams::kOrderDate);
  RandomStream priority_ = Stream(streams::kOrderPriority);
  RandomStream part_ = Stream(streams::kLinePart);
  RandomStream supplier_ = Stream(streams::kLineSupplier);
  RandomStream quantity_ = Stream(streams::kLineQuantity);
  RandomStream discount_ = Stream(streams::kLineDiscount);
  RandomStream tax_ = Stream(streams::kLineTax);
  RandomStream commit_ = Stream(streams::kLineCommit);
  RandomStream ship_mode_ = Stream(streams::kLineShipMode);
};

}  // namespace

std::unique_ptr<TableGenerator> MakeLineorder(const Scale& scale) {
  return std::make_unique<Lineorder>(scale);
}

}  // namespace shadowvm::cli::ssb
