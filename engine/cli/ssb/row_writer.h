// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace shadowvm::cli::ssb {

// Builds a record batch of int32 and string columns row by row, value by value from left to right.
// For the small tables: lineorder fills its columns directly.
class RowWriter {
 public:
  explicit RowWriter(std::shared_ptr<arrow::Schema> schema);

  base::Status Put(int32_t value);
  base::Status Put(std::string_view value);
  // A whole row.
  template <typename... Values>
  base::Status Row(const Values&... values) {
    next_ = 0;
    base::Status status;
    ((status = status.ok() ? Put(values) : status), ...);
    return status;
  }
  base::Result<std::shared_ptr<arrow::RecordBatch>> Finish();

 private:
  std::shared_ptr<arrow::Schema> schema_;
  std::vector<std::unique_ptr<arrow::ArrayBuilder>> builders_;
  size_t next_ = 0;
};

// Fields of the two types the benchmark needs, none of them null.
std::shared_ptr<arrow::Field> IntField(std::string_view name);
std::shared_ptr<arrow::Field> TextField(std::string_view name);

}  // namespace shadowvm::cli::ssb
