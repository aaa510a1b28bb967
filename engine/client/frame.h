// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/result.h>
#include <arrow/status.h>
#include <arrow/table.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/client/expression.h"
#include "shadowvm/v1/command.pb.h"

// Queries, written as C++:
//
//   session->Scan("lineorder.parquet")
//       .Filter(Col("lo_discount").Between(1, 3))
//       .Join(session->Scan("date.parquet"), {On("lo_orderdate", "d_datekey")})
//       .GroupBy({"d_year"}).Aggregate({Sum(Col("lo_revenue")).As("revenue")})
//       .OrderBy({Asc("d_year")})
//       .Collect();
namespace shadowvm::client {

class Session;

// A pair of join keys, left and right.
struct On {
  explicit On(const char* both) : On(Col(both), Col(both)) {}
  On(const char* left, const char* right) : On(Col(left), Col(right)) {}
  On(Expr left, Expr right) : left(std::move(left)), right(std::move(right)) {}
  Expr left;
  Expr right;
};

enum class JoinKind { kInner, kLeftSemi, kLeftAnti, kLeftOuter };

class Agg {
 public:
  Agg(v1::AggregateFunction function, const Expr* argument);
  Agg As(std::string name) const;
  const v1::AggregateCall& proto() const { return proto_; }

 private:
  v1::AggregateCall proto_;
};
Agg Sum(const Expr& argument);
Agg Count();                      // rows
Agg Count(const Expr& argument);  // rows where the argument is not null
Agg Min(const Expr& argument);
Agg Max(const Expr& argument);
Agg Avg(const Expr& argument);

// Order by one key. Nulls come first when ascending, last when descending, unless said.
class Order {
 public:
  Order(const Expr& key, bool descending);
  Order NullsFirst() const;
  Order NullsLast() const;
  const v1::SortKey& proto() const { return proto_; }

 private:
  v1::SortKey proto_;
};
// By a column of that name, or by an expression.
Order Asc(const char* column);
Order Asc(const Expr& key);
Order Desc(const char* column);
Order Desc(const Expr& key);

class GroupedFrame;

// A query so far: a value, cheap to copy. A frame used twice in one query is computed once. Nothing
// runs, and nothing is checked, before Collect or WriteParquet.
class Frame {
 public:
  Frame Filter(const Expr& condition) const;
  Frame Map(const std::vector<Named>& expressions) const;     // the row becomes these
  Frame Select(const std::vector<Named>& expressions) const;  // the same, as SQL calls it

  // Columns of the result: this frame's, then the other's. The other is held in memory and looked
  // up.
  Frame Join(const Frame& other, const std::vector<On>& keys,
             JoinKind kind = JoinKind::kInner) const;
  Frame SemiJoin(const Frame& other, const std::vector<On>& keys) const;
  Frame AntiJoin(const Frame& other, const std::vector<On>& keys) const;
  // A row that meets none has nulls for the other's columns.
  Frame LeftJoin(const Frame& other, const std::vector<On>& keys) const;

  GroupedFrame GroupBy(const std::vector<Named>& keys) const;
  Frame Aggregate(const std::vector<Agg>& aggregates) const;  // over all rows: one row

  Frame OrderBy(const std::vector<Order>& keys) const;
  Frame Limit(int64_t count, int64_t offset = 0) const;
  Frame TopN(int64_t count, const std::vector<Order>& keys) const;

  arrow::Result<std::shared_ptr<arrow::Table>> Collect() const;
  arrow::Status WriteParquet(const std::string& path) const;

  // The command that Collect would run.
  v1::Command ToCommand() const;
  // The same query for a session to run; joins take the session of the left side.
  Frame WithSession(std::shared_ptr<Session> session) const;

 private:
  friend class GroupedFrame;
  friend Frame Scan(std::vector<std::string> paths);
  friend Frame Table(std::string name);

  struct Node {
    v1::Action action;  // id and inputs are set when a command is made
    std::vector<std::shared_ptr<const Node>> inputs;
  };
  Frame(std::shared_ptr<const Node> node, std::shared_ptr<Session> session)
      : node_(std::move(node)), session_(std::move(session)) {}
  Frame Then(v1::Action action) const;
  static uint32_t AddTo(v1::Command* command, const std::shared_ptr<const Node>& root);
  arrow::Result<std::shared_ptr<arrow::Table>> Run() const;

  std::shared_ptr<const Node> node_;
  std::shared_ptr<Session> session_;
};

class GroupedFrame {
 public:
  Frame Aggregate(const std::vector<Agg>& aggregates) const;

 private:
  friend class Frame;
  GroupedFrame(Frame frame, std::vector<Named> keys)
      : frame_(std::move(frame)), keys_(std::move(keys)) {}
  Frame frame_;
  std::vector<Named> keys_;
};

// Frames without a session, for commands that are only built or run later.
Frame Scan(std::string path);
Frame Scan(std::vector<std::string> paths);
Frame Table(std::string name);

}  // namespace shadowvm::client
