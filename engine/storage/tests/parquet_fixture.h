// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>
#include <parquet/properties.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/base/tests/test_folder.h"
#include "engine/columns/arrow_export.h"
#include "engine/memory/budget.h"
#include "engine/storage/parquet_table.h"
#include "engine/storage/segment_cache.h"
#include "engine/storage/table_registry.h"

namespace shadowvm::storage {

// A temporary folder, Parquet files written into it, and a budget and a cache to read them with.
class ParquetFixture : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  static parquet::WriterProperties::Builder Plain() {
    parquet::WriterProperties::Builder builder;
    builder.disable_dictionary();
    return builder;
  }

  std::string WriteFile(const std::string& name, const arrow::Table& table,
                        parquet::WriterProperties::Builder properties = {},
                        int64_t row_group_rows = int64_t{1} << 20,
                        const std::shared_ptr<parquet::ArrowWriterProperties>& arrow_properties =
                            parquet::default_arrow_writer_properties()) const {
    const std::string path = Path(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    auto file = arrow::io::FileOutputStream::Open(path).ValueOrDie();
    properties.max_row_group_length(int64_t{1} << 30);
    EXPECT_TRUE(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), file,
                                           row_group_rows, properties.build(), arrow_properties)
                    .ok());
    EXPECT_TRUE(file->Close().ok());
    return path;
  }

  static std::shared_ptr<arrow::Table> TableOf(
      const std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>& columns) {
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (const auto& [name, array] : columns) {
      fields.push_back(arrow::field(name, array->type()));
      arrays.push_back(array);
    }
    return arrow::Table::Make(arrow::schema(fields), arrays);
  }

  // values(i) for each row; a null where null(i).
  template <typename Builder, typename Values, typename Null>
  static std::shared_ptr<arrow::Array> Build(Builder builder, int64_t rows, Values values,
                                             Null null) {
    for (int64_t i = 0; i < rows; ++i) {
      EXPECT_TRUE((null(i) ? builder.AppendNull() : builder.Append(values(i))).ok());
    }
    return builder.Finish().ValueOrDie();
  }
  template <typename Values>
  static std::shared_ptr<arrow::Array> Int32s(int64_t rows, Values values) {
    return Build(arrow::Int32Builder(), rows, values, [](int64_t) { return false; });
  }
  template <typename Values>
  static std::shared_ptr<arrow::Array> Strings(int64_t rows, Values values) {
    return Build(arrow::StringBuilder(), rows, values, [](int64_t) { return false; });
  }

  base::Result<std::shared_ptr<ParquetTable>> Open(const std::string& path) {
    return ParquetTable::Open(std::vector<std::string>{path}, {&budget_, nullptr});
  }

  base::Result<std::shared_ptr<arrow::Table>> ReadBack(const std::string& path) {
    SVM_ASSIGN_OR_RETURN(auto table, Open(path));
    return columns::ToArrow(*table);
  }

  void ExpectReads(const std::string& path, const arrow::Table& expected) {
    auto read = ReadBack(path);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    ASSERT_TRUE((*read)->ValidateFull().ok());
    EXPECT_TRUE((*read)->Equals(expected)) << (*read)->schema()->ToString();
  }

  static std::string Content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void SetContent(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  const base::TestFolder owned_;
  const std::string folder_ = owned_.path();
  memory::MemoryBudget budget_{int64_t{4} << 30};
};

}  // namespace shadowvm::storage
