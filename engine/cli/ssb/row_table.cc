// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/ssb/row_table.h"

namespace shadowvm::cli::ssb {

base::Result<std::shared_ptr<arrow::RecordBatch>> RowTable::Generate(int64_t first,
                                                                     int64_t count) const {
  RowWriter rows(schema_);
  for (int64_t row = first; row < first + count; ++row) SVM_RETURN_NOT_OK(PutRow(row, &rows));
  return rows.Finish();
}

}  // namespace shadowvm::cli::ssb
