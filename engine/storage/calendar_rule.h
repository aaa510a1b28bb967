// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include "engine/storage/parquet_footer.h"

namespace shadowvm::storage {

// Whether the dates or instants of a column are certainly meant in the proleptic Gregorian
// calendar, so that Spark reads them as they are under each of its settings. Files of Spark before
// 3.0 (96-bit time stamps: 3.1), those marked as written in the legacy mode, and those of other
// writers, may mean the hybrid calendar; where both agree, which the statistics must show, that
// does not matter. True for columns of other types.
bool MeansGregorianDays(const ParquetFooter& footer, int column);

}  // namespace shadowvm::storage
