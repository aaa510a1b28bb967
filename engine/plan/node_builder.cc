// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/node_builder.h"

#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "engine/plan/expression_builder.h"
#include "engine/plan/file_list_builder.h"
#include "engine/plan/typing.h"

namespace shadowvm::plan {
namespace {

using base::ErrorCode;
using base::MakeError;
using base::Result;
using base::Status;
using NodeResult = Result<std::unique_ptr<ActionNode>>;

// Builds one expression of an action; an error names its place: "keys[1]: …".
Result<ExpressionPtr> BuildAt(ExpressionBuilder* builder, const v1::Expression& expression,
                              std::string_view list, int index) {
  auto built = builder->Build(expression);
  if (built.ok()) return built;
  return base::WithContext(built.status(), std::string(list) + "[" + std::to_string(index) + "]");
}

std::string NameFor(const v1::NamedExpression& named, const Expression& built,
                    const columns::Schema& schema) {
  return named.name().empty() ? ToString(built, &schema) : named.name();
}

Result<int64_t> RowCount(uint64_t count, std::string_view what) {
  if (count <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return static_cast<int64_t>(count);
  }
  return MakeError(ErrorCode::kBadCommand, std::string(what) + " is too large");
}

Result<std::vector<int>> ScanColumns(const v1::Scan& scan, const columns::Schema& schema,
                                     const BuildContext& context) {
  if (scan.columns_size() == 0) return AllColumns(schema.num_fields());
  NameIndex names(schema, context.settings.case_sensitive);
  std::vector<int> columns;
  columns.reserve(scan.columns_size());
  for (const auto& name : scan.columns()) {
    SVM_ASSIGN_OR_RETURN(const int ordinal, names.Find(name));
    columns.push_back(ordinal);
  }
  return columns;
}

// The message of an error without its number and kind.
std::string PlainMessage(const Status& status) {
  const std::string prefix = MakeError(base::CodeOf(status), "").message();
  const std::string& message = status.message();
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

// The schema is the planner's; whether the files can be read under it exactly is a question of
// support, not an error.
NodeResult BuildListScan(const v1::Action& action, const BuildContext& context) {
  auto node = std::make_unique<ScanNode>(action.id());
  if (action.scan().columns_size() > 0) {
    return MakeError(ErrorCode::kBadCommand, "a list of files has fields, and columns besides");
  }
  SVM_ASSIGN_OR_RETURN(node->source.list,
                       BuildFileList(action.scan().file_list(), context.settings));
  node->output = SchemaOf(*node->source.list);
  node->columns = AllColumns(node->output.num_fields());
  const Status opened = context.catalog->SchemaOf(node->source).status();
  const ErrorCode code = base::CodeOf(opened);
  const bool refused = code == ErrorCode::kUnsupported || code == ErrorCode::kUnsupportedType;
  if (!opened.ok() && !refused) return opened;
  if (!opened.ok()) node->refusal = PlainMessage(opened);
  return node;
}

NodeResult BuildScan(const v1::Action& action, const BuildContext& context) {
  const v1::Scan& scan = action.scan();
  if (scan.has_file_list()) return BuildListScan(action, context);
  auto node = std::make_unique<ScanNode>(action.id());
  node->source.table = scan.table();
  node->source.paths.assign(scan.files().paths().begin(), scan.files().paths().end());
  if (node->source.table.empty() && node->source.paths.empty()) {
    return MakeError(ErrorCode::kBadCommand, "neither files nor a table are named");
  }
  SVM_ASSIGN_OR_RETURN(const columns::Schema schema, context.catalog->SchemaOf(node->source));
  SVM_ASSIGN_OR_RETURN(node->columns, ScanColumns(scan, schema, context));
  node->output = KeptFields(schema, node->columns);
  return node;
}

NodeResult BuildFilter(const v1::Action& action, const columns::Schema& schema,
                       const BuildContext& context) {
  auto node = std::make_unique<FilterNode>(action.id());
  ExpressionBuilder builder(schema, context.settings, context.limits);
  for (int i = 0; i < action.filter().conditions_size(); ++i) {
    SVM_ASSIGN_OR_RETURN(const auto condition,
                         BuildAt(&builder, action.filter().conditions(i), "conditions", i));
    if (condition->type.kind != columns::TypeKind::kBool) {
      return MakeError(ErrorCode::kTypeMismatch, "conditions[" + std::to_string(i) + "] is " +
                                                     condition->type.ToString() + ", not boolean");
    }
    SplitConjuncts(condition, &node->conjuncts);
  }
  node->kept = AllColumns(schema.num_fields());
  node->output = schema;
  return node;
}

NodeResult BuildMap(const v1::Action& action, const columns::Schema& schema,
                    const BuildContext& context) {
  auto node = std::make_unique<MapNode>(action.id());
  ExpressionBuilder builder(schema, context.settings, context.limits);
  const v1::Map& map = action.map();
  for (int i = 0; i < map.expressions_size(); ++i) {
    const auto& named = map.expressions(i);
    SVM_ASSIGN_OR_RETURN(auto built, BuildAt(&builder, named.expression(), "expressions", i));
    std::string name = NameFor(named, *built, schema);
    node->output.fields.push_back({name, built->type, built->nullable});
    node->expressions.push_back({std::move(name), std::move(built)});
  }
  if (node->expressions.empty()) return MakeError(ErrorCode::kBadCommand, "no expressions");
  return node;
}

Status BuildJoinKeys(const v1::Join& join, const BuildContext& context, JoinNode* node) {
  if (join.left_keys_size() != join.right_keys_size() || join.left_keys_size() == 0) {
    return MakeError(ErrorCode::kBadCommand, std::to_string(join.left_keys_size()) + " left and " +
                                                 std::to_string(join.right_keys_size()) +
                                                 " right keys");
  }
  ExpressionBuilder left(node->left().output, context.settings, context.limits);
  ExpressionBuilder right(node->right().output, context.settings, context.limits);
  for (int i = 0; i < join.left_keys_size(); ++i) {
    SVM_ASSIGN_OR_RETURN(auto left_key, BuildAt(&left, join.left_keys(i), "left_keys", i));
    SVM_ASSIGN_OR_RETURN(auto right_key, BuildAt(&right, join.right_keys(i), "right_keys", i));
    const Status comparable = MakeComparable(&left_key, &right_key, context.settings);
    if (!comparable.ok()) {
      return base::WithContext(comparable, "keys[" + std::to_string(i) + "]");
    }
    node->left_keys.push_back(std::move(left_key));
    node->right_keys.push_back(std::move(right_key));
  }
  return Status::OK();
}

// Swaps what is built; 'kept' keeps the columns in the order the command gave the sides.
void BuildLeftSide(JoinNode* node) {
  const int num_left = node->left().output.num_fields();
  const int num_right = node->right().output.num_fields();
  for (int& column : node->kept) column += column < num_left ? num_right : -num_left;
  std::swap(node->inputs[0], node->inputs[1]);
  std::swap(node->left_keys, node->right_keys);
}

Result<JoinKind> JoinKindOf(v1::JoinKind kind) {
  switch (kind) {
    case v1::JOIN_KIND_INNER:
      return JoinKind::kInner;
    case v1::JOIN_KIND_LEFT_SEMI:
      return JoinKind::kLeftSemi;
    case v1::JOIN_KIND_LEFT_ANTI:
      return JoinKind::kLeftAnti;
    case v1::JOIN_KIND_LEFT_OUTER:
      return JoinKind::kLeftOuter;
    default:
      return MakeError(ErrorCode::kUnsupported,
                       "join kind number " + std::to_string(static_cast<int>(kind)));
  }
}

NodeResult BuildJoin(const v1::Action& action, std::vector<const ActionNode*> inputs,
                     const BuildContext& context) {
  auto node = std::make_unique<JoinNode>(action.id());
  node->inputs = std::move(inputs);
  SVM_ASSIGN_OR_RETURN(node->join_kind, JoinKindOf(action.join().kind()));
  SVM_RETURN_NOT_OK(BuildJoinKeys(action.join(), context, node.get()));
  const columns::Schema& left = node->left().output;
  columns::Schema right = node->right().output;
  if (node->join_kind == JoinKind::kLeftOuter) {
    for (columns::Field& field : right.fields) field.nullable = true;
  }
  const columns::Schema both = Joined(left, right);
  node->kept = AllColumns(GivesPairs(node->join_kind) ? both.num_fields() : left.num_fields());
  node->output = KeptFields(both, node->kept);
  if (action.join().build_side() == v1::BUILD_SIDE_LEFT) {
    if (node->join_kind != JoinKind::kInner)
      return MakeError(ErrorCode::kBadCommand, "only an inner join can build its left side");
    BuildLeftSide(node.get());
  }
  return node;
}

Result<AggregateFunction> FunctionOf(v1::AggregateFunction function) {
  switch (function) {
    case v1::AGGREGATE_FUNCTION_SUM:
      return AggregateFunction::kSum;
    case v1::AGGREGATE_FUNCTION_COUNT:
      return AggregateFunction::kCount;
    case v1::AGGREGATE_FUNCTION_COUNT_ALL:
      return AggregateFunction::kCountAll;
    case v1::AGGREGATE_FUNCTION_MIN:
      return AggregateFunction::kMin;
    case v1::AGGREGATE_FUNCTION_MAX:
      return AggregateFunction::kMax;
    case v1::AGGREGATE_FUNCTION_AVG:
      return AggregateFunction::kAvg;
    default:
      return MakeError(ErrorCode::kUnsupported,
                       "aggregate function number " + std::to_string(static_cast<int>(function)));
  }
}

Result<AggregateCall> BuildAggregateCall(const v1::AggregateCall& proto, ExpressionBuilder* builder,
                                         const columns::Schema& schema, bool grouped) {
  SVM_ASSIGN_OR_RETURN(const AggregateFunction function, FunctionOf(proto.function()));
  ExpressionPtr argument;
  if (proto.has_argument()) {
    SVM_ASSIGN_OR_RETURN(argument, builder->Build(proto.argument()));
  }
  std::string name = proto.name();
  if (name.empty()) {
    const std::string text = argument == nullptr ? "*" : ToString(*argument, &schema);
    name = std::string(NameOf(function)) + "(" + text + ")";
  }
  SVM_ASSIGN_OR_RETURN(const EvalMode mode, builder->ModeOf(proto.eval_mode()));
  return MakeAggregate(function, std::move(argument), std::move(name), mode, grouped);
}

NodeResult BuildAggregate(const v1::Action& action, const columns::Schema& schema,
                          const BuildContext& context) {
  auto node = std::make_unique<AggregateNode>(action.id());
  ExpressionBuilder builder(schema, context.settings, context.limits);
  const v1::Aggregate& aggregate = action.aggregate();
  for (int i = 0; i < aggregate.keys_size(); ++i) {
    const auto& named = aggregate.keys(i);
    SVM_ASSIGN_OR_RETURN(auto key, BuildAt(&builder, named.expression(), "keys", i));
    std::string name = NameFor(named, *key, schema);
    node->output.fields.push_back({name, key->type, key->nullable});
    node->keys.push_back({std::move(name), std::move(key)});
  }
  for (int i = 0; i < aggregate.aggregates_size(); ++i) {
    auto call = BuildAggregateCall(aggregate.aggregates(i), &builder, schema, !node->keys.empty());
    if (!call.ok()) {
      return base::WithContext(call.status(), "aggregates[" + std::to_string(i) + "]");
    }
    node->output.fields.push_back({call->name, call->type, call->nullable});
    node->aggregates.push_back(*std::move(call));
  }
  if (node->output.fields.empty())
    return MakeError(ErrorCode::kBadCommand, "no keys, no aggregates");
  return node;
}

Result<bool> NullsFirst(const v1::SortKey& key) {
  switch (key.null_order()) {
    case v1::NULL_ORDER_UNSPECIFIED:
      return !key.descending();
    case v1::NULL_ORDER_FIRST:
      return true;
    case v1::NULL_ORDER_LAST:
      return false;
    default:
      return MakeError(ErrorCode::kUnsupported,
                       "null order number " + std::to_string(static_cast<int>(key.null_order())));
  }
}

template <typename Keys>
Result<std::vector<SortKey>> BuildSortKeys(const Keys& protos, const columns::Schema& schema,
                                           const BuildContext& context) {
  if (protos.empty()) return MakeError(ErrorCode::kBadCommand, "no sort keys");
  ExpressionBuilder builder(schema, context.settings, context.limits);
  std::vector<SortKey> keys;
  for (int i = 0; i < protos.size(); ++i) {
    const v1::SortKey& proto = protos[i];
    SVM_ASSIGN_OR_RETURN(auto expression, BuildAt(&builder, proto.expression(), "keys", i));
    SVM_ASSIGN_OR_RETURN(const bool nulls_first, NullsFirst(proto));
    keys.push_back({std::move(expression), proto.descending(), nulls_first});
  }
  return keys;
}

template <typename Node>
std::unique_ptr<Node> PassThrough(const v1::Action& action, const columns::Schema& schema) {
  auto node = std::make_unique<Node>(action.id());
  node->kept = AllColumns(schema.num_fields());
  node->output = schema;
  return node;
}

template <typename Node, typename Proto>
Status SetRange(const Proto& proto, Node* node) {
  SVM_ASSIGN_OR_RETURN(node->count, RowCount(proto.count(), "count"));
  SVM_ASSIGN_OR_RETURN(node->offset, RowCount(proto.offset(), "offset"));
  return Status::OK();
}

NodeResult BuildSort(const v1::Action& action, const columns::Schema& schema,
                     const BuildContext& context) {
  auto node = PassThrough<SortNode>(action, schema);
  SVM_ASSIGN_OR_RETURN(node->keys, BuildSortKeys(action.sort().keys(), schema, context));
  return node;
}

NodeResult BuildLimit(const v1::Action& action, const columns::Schema& schema) {
  auto node = PassThrough<LimitNode>(action, schema);
  SVM_RETURN_NOT_OK(SetRange(action.limit(), node.get()));
  return node;
}

NodeResult BuildTopN(const v1::Action& action, const columns::Schema& schema,
                     const BuildContext& context) {
  auto node = PassThrough<TopNNode>(action, schema);
  SVM_ASSIGN_OR_RETURN(node->keys, BuildSortKeys(action.top_n().keys(), schema, context));
  SVM_RETURN_NOT_OK(SetRange(action.top_n(), node.get()));
  return node;
}

NodeResult BuildSink(const v1::Action& action, const columns::Schema& schema) {
  auto node = std::make_unique<SinkNode>(action.id());
  node->output = schema;
  if (action.sink().has_parquet()) {
    node->target = SinkTarget::kParquet;
    node->path = action.sink().parquet().path();
    if (node->path.empty()) return MakeError(ErrorCode::kBadCommand, "no path to write to");
  } else if (!action.sink().has_collect()) {
    return MakeError(ErrorCode::kUnsupported, "this target is not known");
  }
  return node;
}

}  // namespace

std::vector<int> AllColumns(int count) {
  std::vector<int> columns(count);
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

columns::Schema KeptFields(const columns::Schema& schema, const std::vector<int>& kept) {
  columns::Schema result;
  result.fields.reserve(kept.size());
  for (const int column : kept) result.fields.push_back(schema.fields[column]);
  result.left_out = schema.left_out;
  return result;
}

columns::Schema Joined(const columns::Schema& left, const columns::Schema& right) {
  columns::Schema both = left;
  both.fields.insert(both.fields.end(), right.fields.begin(), right.fields.end());
  return both;
}

void SplitConjuncts(const ExpressionPtr& condition, std::vector<ExpressionPtr>* conjuncts) {
  const bool always = condition->is_literal() && condition->literal.integer != 0;
  if (always) return;
  if (condition->op != Op::kAnd) {
    conjuncts->push_back(condition);
    return;
  }
  for (const auto& arg : condition->args) SplitConjuncts(arg, conjuncts);
}

NodeResult BuildNode(const v1::Action& action, std::vector<const ActionNode*> inputs,
                     const BuildContext& context) {
  if (action.has_scan()) return BuildScan(action, context);
  if (action.has_join()) return BuildJoin(action, std::move(inputs), context);
  const columns::Schema& schema = inputs[0]->output;
  NodeResult node = [&]() -> NodeResult {
    switch (action.kind_case()) {
      case v1::Action::kFilter:
        return BuildFilter(action, schema, context);
      case v1::Action::kMap:
        return BuildMap(action, schema, context);
      case v1::Action::kAggregate:
        return BuildAggregate(action, schema, context);
      case v1::Action::kSort:
        return BuildSort(action, schema, context);
      case v1::Action::kLimit:
        return BuildLimit(action, schema);
      case v1::Action::kTopN:
        return BuildTopN(action, schema, context);
      default:
        return BuildSink(action, schema);
    }
  }();
  if (node.ok()) (*node)->inputs = std::move(inputs);
  return node;
}

}  // namespace shadowvm::plan
