// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/render/target.h"

#include <algorithm>

namespace shadowvm::vkernel {
namespace {

constexpr TargetWords kCpuWords = {"engine/kernels/cpu/verbs.h",
                                   "extern \"C\" void svm_kernel(KernelCall* call)",
                                   "i64* const group = call->dense;"};
constexpr TargetWords kCudaWords = {"engine/kernels/cuda/verbs.h", "SVM_KERNEL(call)",
                                    "const SingleGroup group(call);"};

bool TestsNull(const plan::Expression& expression) {
  return expression.op == plan::Op::kIsNull || expression.op == plan::Op::kIsNotNull;
}

// Marks the inputs whose strings the expression reads.
void MarkTexts(const plan::Expression& expression, std::vector<bool>* read) {
  if (TestsNull(expression) && expression.arg(0).is_column()) return;
  if (expression.is_column() && ClassOf(expression.type) == ValueClass::kText) {
    (*read)[static_cast<size_t>(expression.column)] = true;
  }
  for (const auto& arg : expression.args) MarkTexts(*arg, read);
}

bool IsCode(const plan::Expression& value, const Blueprint& blueprint) {
  if (!value.is_column()) return false;
  const Input& input = blueprint.inputs[value.column];
  return input.is_payload
             ? blueprint.payloads[input.index].kind == RowKind::kCodes
             : blueprint.columns[input.index].layout.encoding == columns::Encoding::kCodes;
}

// Its strings are given numbers.
bool IsInterned(const GroupKey& key, const Blueprint& blueprint) {
  return key.kind == GroupKeyKind::kWords && ClassOf(key.value->type) == ValueClass::kText &&
         !IsCode(*key.value, blueprint);
}

bool KeepsText(const Accumulate& accumulate) {
  return accumulate.op == AccumulateOp::kMinText || accumulate.op == AccumulateOp::kMaxText;
}

}  // namespace

const TargetWords& WordsFor(Target target) {
  return target == Target::kCuda ? kCudaWords : kCpuWords;
}

bool ProbesColumn(const Join& join) { return join.form != JoinForm::kHash && join.key_column >= 0; }

bool IsOneVerb(const Step& step, const Blueprint& blueprint) {
  if (step.kind == StepKind::kWhere) return false;
  if (step.kind != StepKind::kProbe) return true;
  return ProbesColumn(blueprint.joins[step.join]);
}

std::vector<bool> TextsRead(const Blueprint& blueprint) {
  std::vector<bool> read(blueprint.inputs.size());
  for (const Level& level : blueprint.levels) {
    for (const Step& step : level.steps) {
      if (step.kind == StepKind::kWhere) MarkTexts(*step.condition, &read);
    }
  }
  for (const Join& join : blueprint.joins) {
    for (size_t key = 0; key < join.keys.size(); ++key) {
      if (join.FindsText(key)) MarkTexts(*join.keys[key], &read);
    }
  }
  for (const GroupKey& key : blueprint.sink.keys) {
    if (key.kind == GroupKeyKind::kWords && !IsCode(*key.value, blueprint)) {
      MarkTexts(*key.value, &read);
    }
  }
  for (const OutputColumn& output : blueprint.sink.outputs) {
    if (output.kind != RowKind::kCodes) MarkTexts(*output.value, &read);
  }
  for (const Accumulate& accumulate : blueprint.sink.accumulates) {
    // Whether a string is there is told by the column.
    if (accumulate.op == AccumulateOp::kCountValid && accumulate.argument->is_column()) continue;
    MarkTexts(*accumulate.argument, &read);
  }
  return read;
}

bool TextsLeave(const Blueprint& blueprint) {
  const Sink& sink = blueprint.sink;
  const auto is_text = [](const OutputColumn& output) { return output.kind == RowKind::kText; };
  const auto is_interned = [&](const GroupKey& key) { return IsInterned(key, blueprint); };
  return std::any_of(sink.outputs.begin(), sink.outputs.end(), is_text) ||
         std::any_of(sink.keys.begin(), sink.keys.end(), is_interned) ||
         std::any_of(sink.accumulates.begin(), sink.accumulates.end(), KeepsText);
}

}  // namespace shadowvm::vkernel
