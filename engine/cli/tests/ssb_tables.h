// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/cli/ssb/table_generator.h"

namespace shadowvm::cli::ssb {

inline Scale TestScale(double factor, uint64_t seed = 1) {
  return MakeScale(factor, seed).ValueOrDie();
}

inline std::shared_ptr<arrow::RecordBatch> AllRows(const TableGenerator& table) {
  auto batch = table.Generate(0, table.num_rows());
  EXPECT_TRUE(batch.ok()) << batch.status();
  return *batch;
}

inline const arrow::Int32Array& Ints(const arrow::RecordBatch& batch, const std::string& column) {
  return static_cast<const arrow::Int32Array&>(*batch.GetColumnByName(column));
}

inline const arrow::StringArray& Texts(const arrow::RecordBatch& batch, const std::string& column) {
  return static_cast<const arrow::StringArray&>(*batch.GetColumnByName(column));
}

}  // namespace shadowvm::cli::ssb
