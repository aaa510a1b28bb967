// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/source_view.h"

#include <algorithm>

namespace shadowvm::exec {

base::Result<vkernel::SourceFacts> SourceView::Facts() const {
  vkernel::SourceFacts facts{table->name(), ordinals, {}, schema};
  for (const int ordinal : ordinals) {
    SVM_ASSIGN_OR_RETURN(const columns::Layout layout, table->layout(ordinal));
    facts.layouts.push_back(layout);
  }
  return facts;
}

bool SourceView::IsSettled() const {
  return std::all_of(ordinals.begin(), ordinals.end(), [&](int ordinal) {
    return table->dictionary(ordinal) == nullptr || table->dictionary_complete(ordinal);
  });
}

}  // namespace shadowvm::exec
