// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/columns/segment.h"

namespace shadowvm::columns {

int64_t ColumnSegment::bytes() const {
  int64_t total = 0;
  for (const auto* buffer : {&data, &offsets, &validity}) {
    if (*buffer != nullptr) total += (*buffer)->size();
  }
  return total;
}

}  // namespace shadowvm::columns
