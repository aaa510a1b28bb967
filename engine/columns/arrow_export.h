// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <vector>

#include "engine/base/status.h"
#include "engine/columns/table.h"

namespace shadowvm::columns {

// One segment of a column as Arrow arrays of ToArrow(type): one, or several where its strings would
// pass the 2 GiB an Arrow utf8 array can hold. The values are copied. 'dictionary' is read for
// kCodes only.
base::Result<std::vector<std::shared_ptr<arrow::Array>>> ToArrow(Type type, const Layout& layout,
                                                                 const Dictionary* dictionary,
                                                                 const ColumnSegment& segment);

// A whole source, read segment by segment (MemoryTable or any other), some columns or all.
base::Result<std::shared_ptr<arrow::Table>> ToArrow(TableSource& source);
base::Result<std::shared_ptr<arrow::Table>> ToArrow(TableSource& source,
                                                    const std::vector<int>& columns);
base::Result<std::vector<std::shared_ptr<arrow::RecordBatch>>> ToArrowBatches(TableSource& source);

}  // namespace shadowvm::columns
