// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/translator.h"

#include <algorithm>

#include "engine/vkernel/blueprint/identifier.h"
#include "engine/vkernel/blueprint/nullability.h"
#include "engine/vkernel/blueprint/title.h"

namespace shadowvm::vkernel {
namespace {

using plan::Expression;
using plan::ExpressionPtr;
using plan::Op;

// Calls 'visit' with the ordinal of every input an expression reads.
template <typename Visit>
void ForEachInput(const Expression& expression, const Visit& visit) {
  if (expression.is_column()) visit(expression.column);
  for (const auto& arg : expression.args) ForEachInput(*arg, visit);
}

// The operator seen from the other side: 5 < x is x > 5.
Op Mirror(Op op) {
  switch (op) {
    case Op::kLess:
      return Op::kGreater;
    case Op::kLessEqual:
      return Op::kGreaterEqual;
    case Op::kGreater:
      return Op::kLess;
    case Op::kGreaterEqual:
      return Op::kLessEqual;
    default:
      return op;
  }
}

bool IsRangeOp(Op op) {
  return op == Op::kEqual || op == Op::kLess || op == Op::kLessEqual || op == Op::kGreater ||
         op == Op::kGreaterEqual;
}

}  // namespace

PipelineTranslator::PipelineTranslator(const plan::Pipeline& pipeline, SourceFacts source,
                                       std::vector<BuildFacts> builds)
    : pipeline_(pipeline), source_(std::move(source)), builds_(std::move(builds)) {
  blueprint_.levels.emplace_back();
}

base::Status PipelineTranslator::TranslateSteps() {
  for (int i = 0; i < source_.schema.num_fields(); ++i) {
    blueprint_.inputs.push_back({false, UseColumn(i)});
    const columns::Field& field = source_.schema.fields[i];
    scope_.push_back(plan::MakeColumn(i, field.type, source_.layouts[i].nullable));
  }
  size_t build = 0;
  for (const plan::Step& step : pipeline_.steps) {
    switch (step.kind) {
      case plan::StepKind::kFilter:
        TranslateFilter(*step.filter);
        break;
      case plan::StepKind::kMap:
        TranslateMap(*step.map);
        break;
      case plan::StepKind::kProbe:
        SVM_RETURN_NOT_OK(TranslateJoin(*step.join, builds_[build++]));
        break;
    }
  }
  if (blueprint_.levels[0].steps.size() > 64) {
    return base::MakeError(base::ErrorCode::kUnsupported,
                           "a pipeline of more than 64 filters and joins");
  }
  return base::Status::OK();
}

Blueprint PipelineTranslator::Take() {
  MarkUse();
  blueprint_.title = MakeTitle(blueprint_, source_.name, group_keys_);
  return std::move(blueprint_);
}

int PipelineTranslator::UseColumn(int position) {
  const columns::Field& field = source_.schema.fields[position];
  blueprint_.columns.push_back(
      {source_.ordinals[position], UniqueName(field.name), field.type, source_.layouts[position]});
  return static_cast<int>(blueprint_.columns.size()) - 1;
}

std::string PipelineTranslator::UniqueName(std::string name) {
  const std::string stem = IdentifierFor(name);
  std::string unique = stem;
  for (int i = 2; !names_.insert(unique).second; ++i) unique = stem + "_" + std::to_string(i);
  return unique;
}

ExpressionPtr PipelineTranslator::Resolve(const ExpressionPtr& expression) const {
  return plan::Substitute(expression, scope_);
}

int PipelineTranslator::PlainColumn(const Expression& expression) const {
  const Expression& inner = plan::WithoutWidening(expression);
  if (!inner.is_column()) return -1;
  const Input& input = blueprint_.inputs[inner.column];
  return input.is_payload ? -1 : input.index;
}

void PipelineTranslator::TranslateFilter(const plan::FilterNode& node) {
  for (const ExpressionPtr& conjunct : node.conjuncts) TranslateConjunct(Resolve(conjunct));
  std::vector<ExpressionPtr> kept;
  for (const int column : node.kept) kept.push_back(scope_[column]);
  scope_ = std::move(kept);
}

void PipelineTranslator::TranslateConjunct(const ExpressionPtr& conjunct) {
  if (TryRange(*conjunct) || TryPass(conjunct) || TryNullTest(*conjunct)) return;
  AddStep({.kind = StepKind::kWhere, .condition = conjunct}, {conjunct});
}

bool PipelineTranslator::TryRange(const Expression& conjunct) {
  if (!IsRangeOp(conjunct.op)) return false;
  const bool literal_left = conjunct.arg(0).is_literal();
  const Expression& value = conjunct.arg(literal_left ? 1 : 0);
  const Expression& bound = conjunct.arg(literal_left ? 0 : 1);
  const int column = PlainColumn(value);
  if (column < 0 || !bound.is_literal() || bound.literal.is_null) return false;
  if (blueprint_.columns[column].layout.encoding != columns::Encoding::kFrame) return false;

  const Op op = literal_left ? Mirror(conjunct.op) : conjunct.op;
  for (RangeSlot& slot : blueprint_.ranges) {
    if (slot.column == column && slot.join < 0) {
      slot.bounds.push_back({op, bound.literal});
      return true;
    }
  }
  const int slot = static_cast<int>(blueprint_.ranges.size());
  blueprint_.ranges.push_back({.column = column, .bounds = {{op, bound.literal}}});
  AddStep({.kind = StepKind::kRange, .column = column, .slot = slot}, {});
  return true;
}

bool PipelineTranslator::TryPass(const ExpressionPtr& conjunct) {
  int input = -1;
  bool single = true;
  ForEachInput(*conjunct, [&](int ordinal) {
    if (input >= 0 && ordinal != input) single = false;
    input = ordinal;
  });
  if (input < 0 || !single || blueprint_.inputs[input].is_payload) return false;
  const int column = blueprint_.inputs[input].index;
  const columns::Layout layout = blueprint_.columns[column].layout;
  if (layout.encoding != columns::Encoding::kCodes || plan::CanRaise(*conjunct)) return false;
  if (layout.nullable && !RejectsNull(*conjunct, input)) return false;

  std::vector<int> numbers(input + 1, 0);
  const ExpressionPtr predicate = plan::Renumber(conjunct, numbers);
  for (PassSlot& slot : blueprint_.passes) {
    if (slot.column == column) {
      slot.predicate = plan::MakeNode(Op::kAnd, predicate->type, true, {slot.predicate, predicate});
      return true;
    }
  }
  const int slot = static_cast<int>(blueprint_.passes.size());
  blueprint_.passes.push_back({column, predicate});
  AddStep({.kind = StepKind::kPass, .column = column, .slot = slot}, {});
  return true;
}

bool PipelineTranslator::TryNullTest(const Expression& conjunct) {
  if (conjunct.op != Op::kIsNull && conjunct.op != Op::kIsNotNull) return false;
  const int column = PlainColumn(conjunct.arg(0));
  if (column < 0) return false;
  const bool wants_null = conjunct.op == Op::kIsNull;
  // A column that holds no null needs no step to be valid; to be null it lets nothing pass.
  if (!blueprint_.columns[column].layout.nullable && !wants_null) return true;
  AddStep({.kind = wants_null ? StepKind::kNull : StepKind::kValid, .column = column}, {});
  return true;
}

void PipelineTranslator::AddStep(Step step, const std::vector<ExpressionPtr>& reads) {
  int level = 0;
  std::vector<int> joins;
  for (const ExpressionPtr& expression : reads) {
    ForEachInput(*expression, [&](int ordinal) {
      const Input& input = blueprint_.inputs[ordinal];
      if (!input.is_payload) return;
      const int join = blueprint_.payloads[input.index].join;
      joins.push_back(join);
      level = std::max(level, blueprint_.joins[join].match_level());
    });
  }
  const bool expands = step.kind == StepKind::kProbe && blueprint_.joins[step.join].expands();
  const bool can_raise =
      std::any_of(reads.begin(), reads.end(),
                  [](const ExpressionPtr& expression) { return plan::CanRaise(*expression); });
  if (expands || can_raise) level = static_cast<int>(blueprint_.levels.size()) - 1;
  std::vector<Step>& steps = blueprint_.levels[level].steps;
  for (const int join : joins) {
    const Join& read = blueprint_.joins[join];
    if (read.level == level && !read.expands()) step.after |= uint64_t{1} << (read.step & 63);
  }
  // An error must not be raised for a row that an earlier step of the plan would have dropped.
  if (can_raise) {
    step.after |= (uint64_t{1} << (steps.size() & 63)) - 1;
  }
  if (step.kind == StepKind::kProbe) {
    blueprint_.joins[step.join].level = level;
    blueprint_.joins[step.join].step = static_cast<int>(steps.size());
  }
  const int join = step.join;
  steps.push_back(std::move(step));
  if (expands) blueprint_.levels.push_back({.expand = join, .steps = {}});
}

void PipelineTranslator::TranslateMap(const plan::MapNode& node) {
  std::vector<ExpressionPtr> values;
  for (const plan::NamedExpression& named : node.expressions) {
    values.push_back(Resolve(named.expression));
  }
  scope_ = std::move(values);
}

base::Status PipelineTranslator::TranslateJoin(const plan::JoinNode& node,
                                               const BuildFacts& facts) {
  const int index = static_cast<int>(blueprint_.joins.size());
  Join join;
  join.name = UniqueName(facts.name);
  join.kind = node.join_kind;
  join.form = facts.form;
  join.unique = facts.unique;
  for (const ExpressionPtr& key : node.left_keys) join.keys.push_back(Resolve(key));
  join.slot = join.form == JoinForm::kHash ? blueprint_.num_hashes++ : blueprint_.num_directs++;
  ChooseKeyColumn(&join);
  AddTranslations(&join);
  const std::vector<ExpressionPtr> reads = join.keys;
  blueprint_.joins.push_back(std::move(join));
  AddKeyRange(index);
  AddStep({.kind = StepKind::kProbe, .join = index}, reads);
  AddPayloads(node, index, facts);
  return base::Status::OK();
}

void PipelineTranslator::ChooseKeyColumn(Join* join) {
  if (join->form == JoinForm::kHash) return;
  const int column = PlainColumn(*join->keys[0]);
  if (column >= 0 && blueprint_.columns[column].layout.encoding == columns::Encoding::kFrame) {
    join->key_column = column;
  }
}

void PipelineTranslator::AddKeyRange(int index) {
  const Join& join = blueprint_.joins[index];
  if (join.key_column < 0 || join.kind == plan::JoinKind::kLeftAnti) return;
  const int slot = static_cast<int>(blueprint_.ranges.size());
  blueprint_.ranges.push_back({.column = join.key_column, .join = index, .bounds = {}});
  AddStep({.kind = StepKind::kRange, .column = join.key_column, .slot = slot}, {});
}

void PipelineTranslator::AddTranslations(Join* join) {
  for (const ExpressionPtr& key : join->keys) {
    bool coded = false;
    if (key->is_column() && ClassOf(key->type) == ValueClass::kText) {
      const Input& input = blueprint_.inputs[key->column];
      coded = input.is_payload
                  ? blueprint_.payloads[input.index].kind == RowKind::kCodes
                  : blueprint_.columns[input.index].layout.encoding == columns::Encoding::kCodes;
    }
    join->translations.push_back(coded ? blueprint_.num_translations++ : -1);
  }
}

void PipelineTranslator::AddPayloads(const plan::JoinNode& node, int join,
                                     const BuildFacts& facts) {
  const int num_left = node.left().output.num_fields();
  const bool outer = blueprint_.joins[join].outer();
  std::vector<ExpressionPtr> scope;
  // In the order the command gave the sides, whichever is built.
  for (const int kept : node.kept) {
    if (kept < num_left) {
      scope.push_back(scope_[kept]);
      continue;
    }
    const int column = kept - num_left;
    const columns::Field& field = node.right().output.fields[column];
    const int input = static_cast<int>(blueprint_.inputs.size());
    blueprint_.inputs.push_back({true, static_cast<int>(blueprint_.payloads.size())});
    const bool nullable = outer || facts.nullable[column];
    blueprint_.payloads.push_back(
        {join, column, UniqueName(field.name), field.type, nullable, facts.kinds[column]});
    scope.push_back(plan::MakeColumn(input, field.type, nullable));
  }
  scope_ = std::move(scope);
}

}  // namespace shadowvm::vkernel
