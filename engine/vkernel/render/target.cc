// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/render/target.h"

namespace shadowvm::vkernel {
namespace {

constexpr TargetWords kCpuWords = {"engine/kernels/cpu/verbs.h",
                                   "extern \"C\" void svm_kernel(KernelCall* call)",
                                   "i64* const group = call->dense;"};
constexpr TargetWords kCudaWords = {"engine/kernels/cuda/verbs.h", "SVM_KERNEL(call)",
                                    "const SingleGroup group(call);"};

bool ReadsText(const plan::Expression& expression) {
  if (ClassOf(expression.type) == ValueClass::kText) return true;
  for (const auto& arg : expression.args) {
    if (ReadsText(*arg)) return true;
  }
  return false;
}

std::string WhyNotStep(const Step& step, const Blueprint& blueprint) {
  if (step.kind == StepKind::kWhere && ReadsText(*step.condition)) {
    return "a filter that computes with strings";
  }
  if (step.kind != StepKind::kProbe) return "";
  if (blueprint.joins[step.join].outer()) return "an outer join";
  for (const auto& key : blueprint.joins[step.join].keys) {
    if (ReadsText(*key)) return "a join on strings";
  }
  return "";
}

std::string WhyNotAccumulate(const Accumulate& accumulate) {
  switch (accumulate.op) {
    case AccumulateOp::kMinText:
    case AccumulateOp::kMaxText:
      return "the least or greatest string";
    case AccumulateOp::kMinWide:
    case AccumulateOp::kMaxWide:
      return "the least or greatest decimal of more than 18 digits";
    default:
      break;
  }
  if (accumulate.checked) return "a sum that must not overflow";
  if (ReadsText(*accumulate.argument)) return "an aggregate that computes with strings";
  return "";
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

std::string WhyNotOnCuda(const Blueprint& blueprint) {
  if (blueprint.levels.size() > 1) return "a join with several matches a row";
  if (blueprint.sink.form == SinkForm::kCollect) return "rows that leave the pipeline";
  if (blueprint.sink.form == SinkForm::kHashGroups) return "groups by hash";
  for (const Step& step : blueprint.levels[0].steps) {
    if (std::string why = WhyNotStep(step, blueprint); !why.empty()) return why;
  }
  for (const Accumulate& accumulate : blueprint.sink.accumulates) {
    if (std::string why = WhyNotAccumulate(accumulate); !why.empty()) return why;
  }
  return "";
}

}  // namespace shadowvm::vkernel
