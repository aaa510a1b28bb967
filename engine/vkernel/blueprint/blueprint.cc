// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/vkernel/blueprint/blueprint.h"

namespace shadowvm::vkernel {

ValueClass ClassOf(columns::Type type) {
  using columns::TypeKind;
  switch (type.kind) {
    case TypeKind::kBool:
      return ValueClass::kBool;
    case TypeKind::kFloat:
      return ValueClass::kFloat;
    case TypeKind::kDouble:
      return ValueClass::kDouble;
    case TypeKind::kString:
    case TypeKind::kBinary:
      return ValueClass::kText;
    default:
      return type.is_wide() ? ValueClass::kWide : ValueClass::kInt;
  }
}

bool Join::FindsTexts() const {
  for (size_t key = 0; key < keys.size(); ++key) {
    if (FindsText(key)) return true;
  }
  return false;
}

int WordsOf(AccumulateOp op) {
  switch (op) {
    case AccumulateOp::kSumWide:
    case AccumulateOp::kMinWide:
    case AccumulateOp::kMaxWide:
    case AccumulateOp::kMinText:
    case AccumulateOp::kMaxText:
      return 2;
    default:
      return 1;
  }
}

int StepColumn(const Blueprint& blueprint, const Step& step) {
  return step.kind == StepKind::kProbe ? blueprint.joins[static_cast<size_t>(step.join)].key_column
                                       : step.column;
}

}  // namespace shadowvm::vkernel
