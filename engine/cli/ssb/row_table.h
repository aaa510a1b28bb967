// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <memory>
#include <utility>

#include "engine/cli/ssb/row_writer.h"
#include "engine/cli/ssb/table_generator.h"

namespace shadowvm::cli::ssb {

// A table that is made row by row: all but lineorder.
class RowTable : public TableGenerator {
 public:
  const std::shared_ptr<arrow::Schema>& schema() const final { return schema_; }
  base::Result<std::shared_ptr<arrow::RecordBatch>> Generate(int64_t first,
                                                             int64_t count) const final;

 protected:
  explicit RowTable(std::shared_ptr<arrow::Schema> schema) : schema_(std::move(schema)) {}

 private:
  // Any thread, any row.
  virtual base::Status PutRow(int64_t row, RowWriter* rows) const = 0;

  std::shared_ptr<arrow::Schema> schema_;
};

}  // namespace shadowvm::cli::ssb
