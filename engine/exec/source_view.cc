// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/source_view.h"

namespace shadowvm::exec {

base::Result<vkernel::SourceFacts> SourceView::Facts() const {
  vkernel::SourceFacts facts{table->name(), ordinals, {}, schema};
  for (const int ordinal : ordinals) {
    SVM_ASSIGN_OR_RETURN(const columns::Layout layout, table->layout(ordinal));
    facts.layouts.push_back(layout);
  }
  return facts;
}

}  // namespace shadowvm::exec
