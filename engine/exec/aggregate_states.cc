// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/aggregate_states.h"

namespace shadowvm::exec {
namespace {

using plan::AggregateCall;
using plan::AggregateFunction;
using vkernel::AccumulateOp;

AccumulatorKind KindOf(AccumulateOp op) {
  switch (op) {
    case AccumulateOp::kCountValid:
      return AccumulatorKind::kCount;
    case AccumulateOp::kSumInt:
      return AccumulatorKind::kSumI64;
    case AccumulateOp::kSumWide:
      return AccumulatorKind::kSumI128;
    case AccumulateOp::kSumDouble:
      return AccumulatorKind::kSumDouble;
    case AccumulateOp::kMinInt:
      return AccumulatorKind::kMinI64;
    case AccumulateOp::kMaxInt:
      return AccumulatorKind::kMaxI64;
    case AccumulateOp::kMinWide:
      return AccumulatorKind::kMinI128;
    case AccumulateOp::kMaxWide:
      return AccumulatorKind::kMaxI128;
    case AccumulateOp::kMinDouble:
      return AccumulatorKind::kMinDouble;
    case AccumulateOp::kMaxDouble:
      return AccumulatorKind::kMaxDouble;
    case AccumulateOp::kMinText:
      return AccumulatorKind::kMinText;
    case AccumulateOp::kMaxText:
      return AccumulatorKind::kMaxText;
  }
  return AccumulatorKind::kCount;
}

OnOverflow OverflowOf(plan::EvalMode mode) {
  switch (mode) {
    case plan::EvalMode::kLegacy:
      return OnOverflow::kWrap;
    case plan::EvalMode::kAnsi:
      return OnOverflow::kError;
    case plan::EvalMode::kTry:
      return OnOverflow::kNull;
  }
  return OnOverflow::kWrap;
}

class StatesBuilder {
 public:
  explicit StatesBuilder(const plan::AggregateNode& node) : grouped_(!node.keys.empty()) {
    states_.accumulators.push_back({AccumulatorKind::kCount, 0, false});
  }

  void AddRowCount(const AggregateCall& call) {
    AggregateOutput output;
    output.column = RowColumn::Value(call.type, false);
    states_.outputs.push_back(std::move(output));
  }

  void Add(const AggregateCall& call, const vkernel::Accumulate& accumulate) {
    const int main = AddAccumulator({KindOf(accumulate.op), accumulate.word, accumulate.checked});
    AggregateOutput output;
    output.accumulator = main;
    output.on_overflow = OverflowOf(call.mode);
    if (accumulate.op != AccumulateOp::kCountValid) AddCount(call, accumulate, &output);
    const bool nullable =
        output.count >= 0 || call.type.is_decimal() || output.on_overflow == OnOverflow::kNull;
    output.column = call.type.is_text() ? RowColumn::Text(call.type, nullable)
                                        : RowColumn::Value(call.type, nullable);
    states_.outputs.push_back(std::move(output));
  }

  AggregateStates Take() { return std::move(states_); }

 private:
  int AddAccumulator(Accumulator accumulator) {
    states_.accumulators.push_back(accumulator);
    return static_cast<int>(states_.accumulators.size()) - 1;
  }

  // The count that says whether there was any value: of valid arguments, or of rows where an
  // argument is never null.
  void AddCount(const AggregateCall& call, const vkernel::Accumulate& accumulate,
                AggregateOutput* output) {
    if (accumulate.valid_word >= 0) {
      output->count = AddAccumulator({AccumulatorKind::kCount, accumulate.valid_word, false});
    } else if (!grouped_ || call.function == AggregateFunction::kAvg) {
      output->count = 0;
    }
    if (call.function == AggregateFunction::kAvg) {
      output->average = true;
      output->sum_scale = call.argument->type.scale;
    }
  }

  bool grouped_;
  AggregateStates states_;
};

}  // namespace

AggregateStates MakeAggregateStates(const plan::AggregateNode& node, const vkernel::Sink& sink) {
  StatesBuilder builder(node);
  size_t next = 0;
  for (const AggregateCall& call : node.aggregates) {
    if (call.function == AggregateFunction::kCountAll) {
      builder.AddRowCount(call);
    } else {
      builder.Add(call, sink.accumulates[next++]);
    }
  }
  return builder.Take();
}

}  // namespace shadowvm::exec
