// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/record_batch.h>
#include <arrow/type.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/cli/ssb/scale.h"

namespace shadowvm::cli::ssb {

// One table of the Star Schema Benchmark, any range of its rows on demand. Rows depend on seed and
// row number alone, so ranges can be made in any order, by any thread, and cut anywhere.
class TableGenerator {
 public:
  virtual ~TableGenerator() = default;

  virtual std::string name() const = 0;
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;
  virtual int64_t num_rows() const = 0;
  // Columns whose values hardly repeat: a dictionary would only cost time there.
  virtual std::vector<std::string> columns_without_dictionary() const { return {}; }

  // Rows [first, first + count), which lie inside the table. Thread-safe.
  virtual base::Result<std::shared_ptr<arrow::RecordBatch>> Generate(int64_t first,
                                                                     int64_t count) const = 0;
};

std::unique_ptr<TableGenerator> MakeLineorder(const Scale& scale);
std::unique_ptr<TableGenerator> MakeCustomer(const Scale& scale);
std::unique_ptr<TableGenerator> MakeSupplier(const Scale& scale);
std::unique_ptr<TableGenerator> MakePart(const Scale& scale);
std::unique_ptr<TableGenerator> MakeDate();

// All five: date, supplier, customer, part, lineorder.
std::vector<std::unique_ptr<TableGenerator>> MakeTables(const Scale& scale);

// The price of a part in cents, from its key: known to lineorder without reading the part table.
inline int32_t PartPrice(int32_t partkey) {
  return 90000 + (partkey / 10) % 20001 + (partkey % 1000) * 100;
}

}  // namespace shadowvm::cli::ssb
