// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/nullability.h"
#include "engine/vkernel/blueprint/translator.h"

// The last action of a pipeline: rows are collected, or accumulated in groups.
namespace shadowvm::vkernel {
namespace {

using plan::AggregateCall;
using plan::AggregateFunction;
using plan::EvalMode;
using plan::ExpressionPtr;

AccumulateOp SumOp(columns::Type argument, columns::Type result, AggregateFunction function) {
  if (argument.is_float()) return AccumulateOp::kSumDouble;
  // Decimal sums and averages are exact in 128 bits; integer sums are 64-bit by Spark's definition.
  const bool wide =
      result.is_decimal() || argument.is_decimal() || function == AggregateFunction::kAvg;
  return wide ? AccumulateOp::kSumWide : AccumulateOp::kSumInt;
}

AccumulateOp ExtremeOp(columns::Type type, bool least) {
  switch (ClassOf(type)) {
    case ValueClass::kWide:
      return least ? AccumulateOp::kMinWide : AccumulateOp::kMaxWide;
    case ValueClass::kFloat:
    case ValueClass::kDouble:
      return least ? AccumulateOp::kMinDouble : AccumulateOp::kMaxDouble;
    case ValueClass::kText:
      return least ? AccumulateOp::kMinText : AccumulateOp::kMaxText;
    default:
      return least ? AccumulateOp::kMinInt : AccumulateOp::kMaxInt;
  }
}

// The accumulator of a call; kCountAll needs none, word 0 counts rows.
AccumulateOp OpOf(const AggregateCall& call) {
  const columns::Type argument = call.argument->type;
  switch (call.function) {
    case AggregateFunction::kSum:
    case AggregateFunction::kAvg:
      return SumOp(argument, call.type, call.function);
    case AggregateFunction::kMin:
      return ExtremeOp(argument, true);
    case AggregateFunction::kMax:
      return ExtremeOp(argument, false);
    default:
      return AccumulateOp::kCountValid;
  }
}

// Whether a sum must not run over. One of integers wraps by definition, but for ANSI; one of
// decimals has room for 10^10 rows of so many digits.
bool IsChecked(AccumulateOp op, const AggregateCall& call) {
  constexpr int kSafeDigits = 28;
  if (op == AccumulateOp::kSumInt) return call.mode == EvalMode::kAnsi;
  return op == AccumulateOp::kSumWide && call.argument->type.precision > kSafeDigits;
}

int KeyWords(columns::Type type) { return ClassOf(type) == ValueClass::kWide ? 2 : 1; }

}  // namespace

OutputColumn PipelineTranslator::MakeOutput(const columns::Field& field,
                                            ExpressionPtr value) const {
  RowKind kind = ClassOf(field.type) == ValueClass::kText ? RowKind::kText : RowKind::kValue;
  if (kind == RowKind::kText && value->is_column()) {
    const Input& input = blueprint_.inputs[value->column];
    if (input.is_payload) {
      kind = blueprint_.payloads[input.index].kind;
    } else if (blueprint_.columns[input.index].layout.encoding == columns::Encoding::kCodes) {
      kind = RowKind::kCodes;
    }
  }
  return {field.name, value, field.type, IsNullable(*value), kind};
}

bool PipelineTranslator::IsNullable(const plan::Expression& expression) const {
  return MayBeNull(expression, blueprint_);
}

base::Status PipelineTranslator::AddCollectSink(const columns::Schema& schema,
                                                const std::vector<ExpressionPtr>& extra) {
  blueprint_.sink.form = SinkForm::kCollect;
  for (int i = 0; i < schema.num_fields(); ++i) {
    blueprint_.sink.outputs.push_back(MakeOutput(schema.fields[i], scope_[i]));
  }
  for (const ExpressionPtr& expression : extra) {
    const columns::Field field{"key", expression->type, true};
    blueprint_.sink.outputs.push_back(MakeOutput(field, Resolve(expression)));
  }
  return base::Status::OK();
}

// Marks what expressions read, so that nothing is declared, built or bound that is not.
void PipelineTranslator::MarkUse() {
  for (const Level& level : blueprint_.levels) {
    for (const Step& step : level.steps) MarkUse(step.condition);
  }
  for (Join& join : blueprint_.joins) {
    join.reads_rows |= join.expands();
    for (const ExpressionPtr& key : join.keys) MarkUse(key);
  }
  for (const OutputColumn& output : blueprint_.sink.outputs) MarkUse(output.value);
  for (const GroupKey& key : blueprint_.sink.keys) MarkUse(key.value);
  for (const Accumulate& accumulate : blueprint_.sink.accumulates) MarkUse(accumulate.argument);
}

void PipelineTranslator::MarkUse(const ExpressionPtr& expression) {
  if (expression == nullptr) return;
  if (expression->is_column()) {
    const Input& input = blueprint_.inputs[expression->column];
    if (!input.is_payload) return;
    PayloadColumn& payload = blueprint_.payloads[input.index];
    payload.used = true;
    blueprint_.joins[payload.join].reads_rows = true;
  }
  for (const ExpressionPtr& arg : expression->args) MarkUse(arg);
}

std::vector<KeyOrigin> PipelineTranslator::OriginsOf(const plan::AggregateNode& node) const {
  std::vector<KeyOrigin> origins;
  for (const plan::NamedExpression& key : node.keys) {
    const ExpressionPtr value = Resolve(key.expression);
    KeyOrigin origin;
    if (value->is_column()) {
      const Input& input = blueprint_.inputs[value->column];
      if (input.is_payload) {
        const PayloadColumn& payload = blueprint_.payloads[input.index];
        origin = {KeyOrigin::kPayload, -1, payload.join, payload.column};
      } else {
        origin = {KeyOrigin::kColumn, input.index, -1, -1};
      }
    }
    origins.push_back(origin);
  }
  return origins;
}

base::Status PipelineTranslator::AddAggregateSink(const plan::AggregateNode& node, SinkForm form,
                                                  std::vector<GroupKey> dense_keys) {
  Sink& sink = blueprint_.sink;
  sink.form = form;
  sink.keys = std::move(dense_keys);
  for (const plan::NamedExpression& key : node.keys) {
    group_keys_.push_back(Resolve(key.expression));
  }
  if (form == SinkForm::kHashGroups) {
    bool any_nullable = false;
    for (const ExpressionPtr& value : group_keys_) {
      GroupKey group{.kind = GroupKeyKind::kWords, .value = value, .nullable = IsNullable(*value)};
      any_nullable |= group.nullable;
      sink.keys.push_back(std::move(group));
    }
    if (any_nullable && sink.keys.size() > 64) {
      return base::MakeError(base::ErrorCode::kUnsupported,
                             "more than 64 group keys, some of which may be null");
    }
    sink.key_words = any_nullable ? 1 : 0;
    for (GroupKey& key : sink.keys) {
      key.word = sink.key_words;
      sink.key_words += KeyWords(key.value->type);
    }
  }
  for (const AggregateCall& call : node.aggregates) {
    if (call.function == AggregateFunction::kCountAll) continue;
    Accumulate accumulate;
    accumulate.argument = Resolve(call.argument);
    accumulate.op = OpOf(call);
    accumulate.checked = IsChecked(accumulate.op, call);
    accumulate.word = sink.row_words;
    if (accumulate.op == AccumulateOp::kCountValid) {
      accumulate.valid_word = accumulate.word;
      sink.row_words += 1;
    } else {
      sink.row_words += WordsOf(accumulate.op);
      if (IsNullable(*accumulate.argument)) accumulate.valid_word = sink.row_words++;
    }
    sink.accumulates.push_back(std::move(accumulate));
  }
  return base::Status::OK();
}

}  // namespace shadowvm::vkernel
