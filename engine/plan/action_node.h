// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/columns/type.h"
#include "engine/plan/expression.h"

namespace shadowvm::storage {
struct FileList;
}

namespace shadowvm::plan {

enum class ActionKind : uint8_t {
  kScan,
  kFilter,
  kMap,
  kJoin,
  kAggregate,
  kSort,
  kLimit,
  kTopN,
  kSink,
};
std::string_view NameOf(ActionKind kind);

// One action, typed. A plan owns its nodes and hands them out const; 'inputs' point into the same
// plan. Expressions of a node refer to the columns of its input's output.
struct ActionNode {
  ActionNode(ActionKind kind, uint32_t id) : kind(kind), id(id) {}
  virtual ~ActionNode() = default;

  ActionKind kind;
  uint32_t id;  // of the command's action; nodes a rewrite adds carry the id of what they came from
  std::vector<const ActionNode*> inputs;
  columns::Schema output;

  const ActionNode& input(int i = 0) const { return *inputs[i]; }
};

struct NamedExpression {
  std::string name;
  ExpressionPtr expression;
};

// What a scan reads: files (or directories), a registered table, or the files a planner listed.
// Copies share a list, and a list is equal to itself alone.
struct ScanSource {
  std::vector<std::string> paths;
  std::string table;
  std::shared_ptr<const storage::FileList> list = nullptr;
  std::string name() const;  // "lineorder", "/data/part.parquet (and 3 more)"
  bool operator==(const ScanSource&) const = default;
};

struct ScanNode : ActionNode {
  explicit ScanNode(uint32_t id) : ActionNode(ActionKind::kScan, id) {}
  ScanSource source;
  std::vector<int> columns;  // ordinals in the source's schema, one per output field; may be empty
  // Why the files cannot be read exactly as the planner that listed them would; empty: they can.
  std::string refusal;
};

// Nodes that hand rows on say which columns: output field i is input column kept[i]. A join counts
// its left input's columns first, then its right's. So a column read only by a filter, a join key
// or a sort key ends there.

struct FilterNode : ActionNode {
  explicit FilterNode(uint32_t id) : ActionNode(ActionKind::kFilter, id) {}
  std::vector<ExpressionPtr> conjuncts;  // all must be true; split at AND
  std::vector<int> kept;
};

struct MapNode : ActionNode {
  explicit MapNode(uint32_t id) : ActionNode(ActionKind::kMap, id) {}
  std::vector<NamedExpression> expressions;  // one per output field
};

enum class JoinKind : uint8_t { kInner, kLeftSemi, kLeftAnti, kLeftOuter };
std::string_view NameOf(JoinKind kind);
// Whether the result has a row for each pair that meets, with columns of both sides.
constexpr bool GivesPairs(JoinKind kind) {
  return kind == JoinKind::kInner || kind == JoinKind::kLeftOuter;
}

// The right input is built, the left one probed, always. Rows with a null in a key meet nothing.
struct JoinNode : ActionNode {
  explicit JoinNode(uint32_t id) : ActionNode(ActionKind::kJoin, id) {}
  JoinKind join_kind = JoinKind::kInner;
  std::vector<ExpressionPtr> left_keys;   // over the left input
  std::vector<ExpressionPtr> right_keys;  // over the right input; pairwise of one type
  std::vector<int> kept;                  // semi and anti: left columns only

  const ActionNode& left() const { return *inputs[0]; }
  const ActionNode& right() const { return *inputs[1]; }
  // kept, split: ordinals in the left input and in the right one.
  std::vector<int> kept_left() const;
  std::vector<int> kept_right() const;
};

enum class AggregateFunction : uint8_t { kSum, kCount, kCountAll, kMin, kMax, kAvg };
std::string_view NameOf(AggregateFunction function);

struct AggregateCall {
  AggregateFunction function = AggregateFunction::kCountAll;
  ExpressionPtr argument;  // null for kCountAll; cast to what the function wants (see typing.h)
  columns::Type type;      // of the result
  bool nullable = true;
  EvalMode mode = EvalMode::kLegacy;
  std::string name;
};

// No keys: exactly one row. Output: keys, then aggregates. Keys: nulls form a group.
struct AggregateNode : ActionNode {
  explicit AggregateNode(uint32_t id) : ActionNode(ActionKind::kAggregate, id) {}
  std::vector<NamedExpression> keys;
  std::vector<AggregateCall> aggregates;
};

struct SortKey {
  ExpressionPtr expression;
  bool descending = false;
  bool nulls_first = true;
};

struct SortNode : ActionNode {
  explicit SortNode(uint32_t id) : ActionNode(ActionKind::kSort, id) {}
  std::vector<SortKey> keys;
  std::vector<int> kept;
};

struct LimitNode : ActionNode {
  explicit LimitNode(uint32_t id) : ActionNode(ActionKind::kLimit, id) {}
  int64_t count = 0;
  int64_t offset = 0;
  std::vector<int> kept;
};

struct TopNNode : ActionNode {
  explicit TopNNode(uint32_t id) : ActionNode(ActionKind::kTopN, id) {}
  std::vector<SortKey> keys;
  int64_t count = 0;
  int64_t offset = 0;
  std::vector<int> kept;
};

enum class SinkTarget : uint8_t { kCollect, kParquet };

struct SinkNode : ActionNode {
  explicit SinkNode(uint32_t id) : ActionNode(ActionKind::kSink, id) {}
  SinkTarget target = SinkTarget::kCollect;
  std::string path;  // kParquet
};

// A node as its own type; the kind must be that of T.
template <typename T>
const T& As(const ActionNode& node) {
  return static_cast<const T&>(node);
}

}  // namespace shadowvm::plan
