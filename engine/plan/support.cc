// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/plan/support.h"

#include <algorithm>
#include <utility>

#include "engine/plan/inlined_size.h"
#include "engine/plan/type_rules.h"

namespace shadowvm::plan {
namespace {

using columns::Type;
using columns::TypeKind;

struct ReasonRow {
  std::string_view name;
  std::string_view text;
};
constexpr ReasonRow kReasons[] = {
#define SVM_REASON(reason, name, text) {name, text},
#include "engine/plan/reason_table.inc"
#undef SVM_REASON
};

bool IsNumberOrBool(Type type) { return IsNumeric(type) || type.kind == TypeKind::kBool; }

Reason CheckCast(const Expression& cast) {
  const Type from = cast.arg(0).type;
  const bool among_numbers = IsNumberOrBool(from) && IsNumberOrBool(cast.type);
  // Spark rounds the shortest decimal text of a float, which kernels do not compute.
  const bool from_float = from.is_float() && cast.type.is_decimal();
  return among_numbers && !from_float ? Reason::kNone : Reason::kCastPair;
}

// An instant has a date only in a time zone; kernels know one.
Reason CheckDatePart(Type type, const Settings& settings) {
  const bool is_instant = type.kind == TypeKind::kTimestamp;
  return is_instant && settings.time_zone != "UTC" ? Reason::kDatePartType : Reason::kNone;
}

// Kernels compute decimals exactly or not at all: in 128 bits, dividends in 256, which hold every
// value of 76 digits.
constexpr int kMaxDividendDigits = 2 * kMaxPrecision;

Reason CheckDecimal(const Expression& node) {
  if (!node.type.is_decimal()) return Reason::kNone;
  const Type left = node.arg(0).type;
  const Type right = node.arg(1).type;
  if (node.op == Op::kDivide) {
    const int shift = node.type.scale - left.scale + right.scale;
    return left.precision + shift > kMaxDividendDigits ? Reason::kDecimalDivideWidth
                                                       : Reason::kNone;
  }
  const int exact_scale =
      node.op == Op::kMultiply ? left.scale + right.scale : std::max(left.scale, right.scale);
  return node.type.scale < exact_scale ? Reason::kDecimalScaleLoss : Reason::kNone;
}

// What is wrong with a node itself, its arguments apart.
Reason CheckNode(const Expression& node, const Settings& settings) {
  switch (node.op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
      return CheckDecimal(node);
    case Op::kCast:
      return CheckCast(node);
    case Op::kYear:
    case Op::kMonth:
    case Op::kDay:
      return CheckDatePart(node.arg(0).type, settings);
    case Op::kStartsWith:
    case Op::kEndsWith:
    case Op::kContains:
    case Op::kLike:
      return node.arg(1).is_literal() ? Reason::kNone : Reason::kPatternNotConstant;
    default:
      return Reason::kNone;
  }
}

class SupportCheck {
 public:
  explicit SupportCheck(const Settings& settings) : settings_(settings) {}

  std::vector<ActionSupport> Run(const Plan& plan) {
    for (const auto& node : plan.nodes()) {
      node_ = node.get();
      const size_t before = found_.size();
      CheckAction(*node);
      sizes_.Add(*node);
      if (found_.size() == before) found_.push_back({node->id, true, Reason::kNone, {}, {}});
    }
    return std::move(found_);
  }

 private:
  void Refuse(Reason reason, std::string_view subject, std::string path) {
    if (reason == Reason::kNone) return;
    found_.push_back({.action_id = node_->id,
                      .supported = false,
                      .reason = reason,
                      .text = std::string(TextOf(reason)) + ": " + std::string(subject),
                      .expression_path = std::move(path)});
  }

  // An expression over an input of the action.
  void Check(const Expression& expression, const std::string& path, int input = 0) {
    if (sizes_.Of(expression, node_->input(input)) > kMaxInlinedSize) {
      Refuse(Reason::kExpressionSize, "more than " + std::to_string(kMaxInlinedSize), path);
      return;
    }
    CheckPart(expression, path);
  }

  void CheckPart(const Expression& expression, const std::string& path) {
    const Reason reason = CheckNode(expression, settings_);
    if (reason != Reason::kNone) Refuse(reason, ToString(expression), path);
    for (size_t i = 0; i < expression.args.size(); ++i) {
      const Expression& arg = *expression.args[i];
      if (!arg.args.empty()) CheckPart(arg, path + ".args[" + std::to_string(i) + "]");
    }
  }

  static std::string At(std::string_view list, size_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
  }

  void CheckJoin(const JoinNode& join) {
    for (size_t i = 0; i < join.left_keys.size(); ++i) {
      Check(*join.left_keys[i], At("left_keys", i));
      Check(*join.right_keys[i], At("right_keys", i), 1);
    }
  }

  void CheckCall(const AggregateCall& call, const std::string& path) {
    if (call.argument == nullptr) return;
    const Type type = call.argument->type;
    const bool sums =
        call.function == AggregateFunction::kSum || call.function == AggregateFunction::kAvg;
    const bool picks =
        call.function == AggregateFunction::kMin || call.function == AggregateFunction::kMax;
    if (sums && type.is_float() && settings_.strict_float) {
      Refuse(Reason::kStrictFloat, type.ToString(), path);
    }
    if (picks && type.kind == TypeKind::kBinary) {
      Refuse(Reason::kAggregateType, type.ToString(), path);
    }
    Check(*call.argument, path);
  }

  void CheckAggregate(const AggregateNode& node) {
    for (size_t i = 0; i < node.keys.size(); ++i) {
      Check(*node.keys[i].expression, At("keys", i));
    }
    for (size_t i = 0; i < node.aggregates.size(); ++i) {
      CheckCall(node.aggregates[i], At("aggregates", i));
    }
  }

  void CheckSortKeys(const std::vector<SortKey>& keys) {
    for (size_t i = 0; i < keys.size(); ++i) Check(*keys[i].expression, At("keys", i));
  }

  void CheckAction(const ActionNode& node) {
    switch (node.kind) {
      case ActionKind::kFilter:
        for (size_t i = 0; i < As<FilterNode>(node).conjuncts.size(); ++i) {
          Check(*As<FilterNode>(node).conjuncts[i], At("conjuncts", i));
        }
        break;
      case ActionKind::kMap:
        for (size_t i = 0; i < As<MapNode>(node).expressions.size(); ++i) {
          Check(*As<MapNode>(node).expressions[i].expression, At("expressions", i));
        }
        break;
      case ActionKind::kJoin:
        CheckJoin(As<JoinNode>(node));
        break;
      case ActionKind::kAggregate:
        CheckAggregate(As<AggregateNode>(node));
        break;
      case ActionKind::kSort:
        CheckSortKeys(As<SortNode>(node).keys);
        break;
      case ActionKind::kTopN:
        CheckSortKeys(As<TopNNode>(node).keys);
        break;
      case ActionKind::kScan:
        if (!As<ScanNode>(node).refusal.empty()) {
          Refuse(Reason::kFileColumn, As<ScanNode>(node).refusal, {});
        }
        break;
      case ActionKind::kLimit:
      case ActionKind::kSink:
        break;
    }
  }

  const Settings& settings_;
  const ActionNode* node_ = nullptr;
  InlinedSizes sizes_;
  std::vector<ActionSupport> found_;
};

}  // namespace

std::string_view NameOf(Reason reason) { return kReasons[static_cast<int>(reason)].name; }
std::string_view TextOf(Reason reason) { return kReasons[static_cast<int>(reason)].text; }

std::vector<ActionSupport> CheckSupport(const Plan& plan) {
  return SupportCheck(plan.settings()).Run(plan);
}

base::Status RequireSupport(const Plan& plan) {
  for (const ActionSupport& support : CheckSupport(plan)) {
    if (support.supported) continue;
    return base::MakeError(base::ErrorCode::kUnsupported,
                           "action " + std::to_string(support.action_id) +
                               (support.expression_path.empty() ? "" : ", ") +
                               support.expression_path + ": " + support.text);
  }
  return base::Status::OK();
}

}  // namespace shadowvm::plan
