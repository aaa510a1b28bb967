// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string>

#include "engine/base/status.h"
#include "engine/columns/table.h"
#include "engine/memory/budget.h"

namespace shadowvm::columns {

// Copies Arrow data into segments. A framed column gets the narrowest width that holds the range of
// every segment; a string column a table dictionary, or plain text where the dictionary rule says
// so. Errors name the column.
base::Result<std::shared_ptr<MemoryTable>> FromArrow(std::string name, const arrow::Table& table,
                                                     memory::MemoryBudget* budget);
base::Result<std::shared_ptr<MemoryTable>> FromArrow(std::string name,
                                                     const arrow::RecordBatch& batch,
                                                     memory::MemoryBudget* budget);

}  // namespace shadowvm::columns
