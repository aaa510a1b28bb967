// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/columns/type.h"
#include "engine/storage/parquet_footer.h"

namespace shadowvm::storage {

// Whether a column of a file may be read as 'wanted' with every value kept. The conversions are
// those that both Spark 3.5 and 4.1 make, whose vectorized readers look at the physical type: what
// one of them refuses is refused here, so that Spark gives its own verdict.
bool ReadsAs(const ParquetFooter& footer, const FileColumn& column, columns::Type wanted);

}  // namespace shadowvm::storage
