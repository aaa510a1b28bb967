// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/client/frame.h"

#include <unordered_map>

#include "engine/base/status.h"
#include "engine/client/session.h"

namespace shadowvm::client {
namespace {

constexpr uint32_t kProtocolVersion = 1;

// A negative count has no wire form; the largest value is refused by the planner.
uint64_t RowCount(int64_t count) { return static_cast<uint64_t>(count); }

v1::JoinKind ProtoOf(JoinKind kind) {
  switch (kind) {
    case JoinKind::kInner:
      return v1::JOIN_KIND_INNER;
    case JoinKind::kLeftSemi:
      return v1::JOIN_KIND_LEFT_SEMI;
    case JoinKind::kLeftAnti:
      return v1::JOIN_KIND_LEFT_ANTI;
    case JoinKind::kLeftOuter:
      return v1::JOIN_KIND_LEFT_OUTER;
  }
  return v1::JOIN_KIND_UNSPECIFIED;
}

void Set(const Named& named, v1::NamedExpression* proto) {
  proto->set_name(named.name);
  *proto->mutable_expression() = named.expr.proto();
}

}  // namespace

Agg::Agg(v1::AggregateFunction function, const Expr* argument) {
  proto_.set_function(function);
  if (argument != nullptr) *proto_.mutable_argument() = argument->proto();
}

Agg Agg::As(std::string name) const {
  Agg named = *this;
  named.proto_.set_name(std::move(name));
  return named;
}

Agg Sum(const Expr& argument) { return {v1::AGGREGATE_FUNCTION_SUM, &argument}; }
Agg Count() { return {v1::AGGREGATE_FUNCTION_COUNT_ALL, nullptr}; }
Agg Count(const Expr& argument) { return {v1::AGGREGATE_FUNCTION_COUNT, &argument}; }
Agg Min(const Expr& argument) { return {v1::AGGREGATE_FUNCTION_MIN, &argument}; }
Agg Max(const Expr& argument) { return {v1::AGGREGATE_FUNCTION_MAX, &argument}; }
Agg Avg(const Expr& argument) { return {v1::AGGREGATE_FUNCTION_AVG, &argument}; }

Order::Order(const Expr& key, bool descending) {
  *proto_.mutable_expression() = key.proto();
  proto_.set_descending(descending);
}

Order Order::NullsFirst() const {
  Order order = *this;
  order.proto_.set_null_order(v1::NULL_ORDER_FIRST);
  return order;
}

Order Order::NullsLast() const {
  Order order = *this;
  order.proto_.set_null_order(v1::NULL_ORDER_LAST);
  return order;
}

Order Asc(const char* column) { return {Col(column), false}; }
Order Asc(const Expr& key) { return {key, false}; }
Order Desc(const char* column) { return {Col(column), true}; }
Order Desc(const Expr& key) { return {key, true}; }

Frame Scan(std::string path) { return Scan(std::vector<std::string>{std::move(path)}); }

Frame Scan(std::vector<std::string> paths) {
  auto node = std::make_shared<Frame::Node>();
  for (auto& path : paths) {
    node->action.mutable_scan()->mutable_files()->add_paths(std::move(path));
  }
  return {std::move(node), nullptr};
}

Frame Table(std::string name) {
  auto node = std::make_shared<Frame::Node>();
  node->action.mutable_scan()->set_table(std::move(name));
  return {std::move(node), nullptr};
}

Frame Frame::Then(v1::Action action) const {
  auto node = std::make_shared<Node>();
  node->action = std::move(action);
  node->inputs.push_back(node_);
  return {std::move(node), session_};
}

Frame Frame::Filter(const Expr& condition) const {
  v1::Action action;
  *action.mutable_filter()->add_conditions() = condition.proto();
  return Then(std::move(action));
}

Frame Frame::Map(const std::vector<Named>& expressions) const {
  v1::Action action;
  v1::Map* map = action.mutable_map();
  for (const Named& named : expressions) Set(named, map->add_expressions());
  return Then(std::move(action));
}

Frame Frame::Select(const std::vector<Named>& expressions) const { return Map(expressions); }

Frame Frame::Join(const Frame& other, const std::vector<On>& keys, JoinKind kind) const {
  auto node = std::make_shared<Node>();
  v1::Join* join = node->action.mutable_join();
  join->set_kind(ProtoOf(kind));
  for (const On& key : keys) {
    *join->add_left_keys() = key.left.proto();
    *join->add_right_keys() = key.right.proto();
  }
  node->inputs = {node_, other.node_};
  return {std::move(node), session_ != nullptr ? session_ : other.session_};
}

Frame Frame::SemiJoin(const Frame& other, const std::vector<On>& keys) const {
  return Join(other, keys, JoinKind::kLeftSemi);
}

Frame Frame::AntiJoin(const Frame& other, const std::vector<On>& keys) const {
  return Join(other, keys, JoinKind::kLeftAnti);
}

Frame Frame::LeftJoin(const Frame& other, const std::vector<On>& keys) const {
  return Join(other, keys, JoinKind::kLeftOuter);
}

GroupedFrame Frame::GroupBy(const std::vector<Named>& keys) const { return {*this, keys}; }

Frame Frame::Aggregate(const std::vector<Agg>& aggregates) const {
  return GroupBy({}).Aggregate(aggregates);
}

Frame GroupedFrame::Aggregate(const std::vector<Agg>& aggregates) const {
  v1::Action action;
  v1::Aggregate* aggregate = action.mutable_aggregate();
  for (const Named& key : keys_) Set(key, aggregate->add_keys());
  for (const Agg& agg : aggregates) *aggregate->add_aggregates() = agg.proto();
  return frame_.Then(std::move(action));
}

Frame Frame::OrderBy(const std::vector<Order>& keys) const {
  v1::Action action;
  v1::Sort* sort = action.mutable_sort();
  for (const Order& key : keys) *sort->add_keys() = key.proto();
  return Then(std::move(action));
}

Frame Frame::Limit(int64_t count, int64_t offset) const {
  v1::Action action;
  action.mutable_limit()->set_count(RowCount(count));
  action.mutable_limit()->set_offset(RowCount(offset));
  return Then(std::move(action));
}

Frame Frame::TopN(int64_t count, const std::vector<Order>& keys) const {
  v1::Action action;
  v1::TopN* top = action.mutable_top_n();
  top->set_count(RowCount(count));
  for (const Order& key : keys) *top->add_keys() = key.proto();
  return Then(std::move(action));
}

Frame Frame::WithSession(std::shared_ptr<Session> session) const {
  return {node_, std::move(session)};
}

// Numbers actions as they are added, inputs first, each node once. With a stack of its own: queries
// may be long.
uint32_t Frame::AddTo(v1::Command* command, const std::shared_ptr<const Node>& root) {
  std::unordered_map<const Node*, uint32_t> ids;
  std::vector<std::pair<const Node*, size_t>> stack{{root.get(), 0}};
  while (!stack.empty()) {
    auto& [node, next_input] = stack.back();
    if (next_input < node->inputs.size()) {
      const Node* input = node->inputs[next_input++].get();
      if (!ids.contains(input)) stack.emplace_back(input, 0);
      continue;
    }
    if (!ids.contains(node)) {
      v1::Action* action = command->add_actions();
      *action = node->action;
      action->set_id(static_cast<uint32_t>(command->actions_size()));
      for (const auto& input : node->inputs) action->add_inputs(ids.at(input.get()));
      ids.emplace(node, action->id());
    }
    stack.pop_back();
  }
  return ids.at(root.get());
}

v1::Command Frame::ToCommand() const {
  v1::Command command;
  command.set_protocol_version(kProtocolVersion);
  if (session_ != nullptr) *command.mutable_settings() = session_->settings();
  command.set_root(AddTo(&command, node_));
  return command;
}

arrow::Result<std::shared_ptr<arrow::Table>> Frame::Run() const {
  if (session_ != nullptr) return session_->Run(ToCommand());
  return base::MakeError(base::ErrorCode::kBadCommand,
                         "the frame has no session: start from session->Scan, or use WithSession");
}

arrow::Result<std::shared_ptr<arrow::Table>> Frame::Collect() const {
  v1::Action action;
  action.mutable_sink()->mutable_collect();
  return Then(std::move(action)).Run();
}

arrow::Status Frame::WriteParquet(const std::string& path) const {
  v1::Action action;
  action.mutable_sink()->mutable_parquet()->set_path(path);
  return Then(std::move(action)).Run().status();
}

}  // namespace shadowvm::client
