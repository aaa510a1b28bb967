// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/parquet_footer.h"

#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <arrow/type.h>
#include <parquet/arrow/schema.h>
#include <parquet/exception.h>
#include <parquet/statistics.h>

#include <algorithm>
#include <cstring>

#include "engine/base/fault.h"
#include "engine/columns/type_mapping.h"
#include "engine/storage/data_file.h"

namespace shadowvm::storage {
namespace {

constexpr int64_t kTailBytes = 8;  // length of the metadata, magic
constexpr int64_t kMaxRowGroupRows = int64_t{1} << 36;

base::Status Corrupt(const std::string& path, const std::string& what) {
  return base::MakeError(base::ErrorCode::kCorruptFile, path + ": " + what);
}

base::Result<std::vector<uint8_t>> ReadMetadataBytes(const DataFile& file,
                                                     const std::string& path) {
  const int64_t size = file.identity().size;
  uint8_t tail[kTailBytes];
  if (size < kTailBytes + 4) {
    return base::MakeError(base::ErrorCode::kNotParquet, path + " is too short");
  }
  SVM_RETURN_NOT_OK(file.Read(size - kTailBytes, kTailBytes, tail));
  if (std::memcmp(tail + 4, "PARE", 4) == 0) {
    return base::MakeError(base::ErrorCode::kUnsupported, path + " is encrypted");
  }
  if (std::memcmp(tail + 4, "PAR1", 4) != 0) {
    // A whole file that begins as Parquet and does not end so was cut off.
    uint8_t head[4];
    SVM_RETURN_NOT_OK(file.Read(0, 4, head));
    if (std::memcmp(head, "PAR1", 4) == 0) return Corrupt(path, "it ends without a footer");
    return base::MakeError(base::ErrorCode::kNotParquet, path);
  }
  uint32_t length;
  std::memcpy(&length, tail, sizeof(length));
  if (int64_t{length} > size - kTailBytes - 4) return Corrupt(path, "footer longer than the file");
  std::vector<uint8_t> bytes(length);
  SVM_RETURN_NOT_OK(file.Read(size - kTailBytes - length, length, bytes.data()));
  return bytes;
}

PhysicalForm FormOf(const parquet::ColumnDescriptor& column) {
  PhysicalForm form;
  form.type = column.physical_type();
  form.length = column.type_length();
  const auto& logical = column.logical_type();
  if (logical == nullptr) return form;
  if (logical->is_int()) {
    form.is_unsigned = !static_cast<const parquet::IntLogicalType&>(*logical).is_signed();
  }
  if (logical->is_timestamp()) {
    switch (static_cast<const parquet::TimestampLogicalType&>(*logical).time_unit()) {
      case parquet::LogicalType::TimeUnit::MILLIS:
        form.multiply = 1000;
        break;
      case parquet::LogicalType::TimeUnit::NANOS:
        form.divide = 1000;
        break;
      default:
        break;
    }
  }
  return form;
}

// Adds the columns of a top-level field: itself when it is flat and of a type we hold.
void AddColumn(const parquet::FileMetaData& metadata, const arrow::Field& field, int root,
               ParquetFooter* footer) {
  const parquet::SchemaDescriptor& schema = *metadata.schema();
  for (int leaf = 0; leaf < schema.num_columns(); ++leaf) {
    const parquet::ColumnDescriptor& column = *schema.Column(leaf);
    if (schema.GetColumnRoot(leaf) != schema.group_node()->field(root).get()) continue;
    auto type = columns::FromArrow(*field.type(), field.name());
    const bool flat = column.max_repetition_level() == 0 && column.max_definition_level() <= 1 &&
                      schema.group_node()->field(root)->is_primitive();
    if (!flat || !type.ok()) {
      footer->unsupported.emplace_back(field.name(), field.type()->ToString());
      return;
    }
    // A 96-bit time stamp is an instant by the custom of those who write it.
    if (column.physical_type() == parquet::Type::INT96) {
      *type = columns::Type::Of(columns::TypeKind::kTimestamp);
    }
    footer->columns.push_back(
        {field.name(), *type, column.max_definition_level() == 1, FormOf(column), leaf});
  }
}

columns::Zone ZoneOf(const parquet::ColumnChunkMetaData& chunk, const FileColumn& column) {
  columns::Zone zone;
  const auto statistics = chunk.statistics();
  if (!column.optional) zone.null_count = 0;
  if (statistics == nullptr) return zone;
  if (statistics->HasNullCount()) zone.null_count = statistics->null_count();
  if (!statistics->HasMinMax() || !column.type.is_framed()) return zone;
  const std::string min = statistics->EncodeMin();
  const std::string max = statistics->EncodeMax();
  const auto load = [&](const std::string& text, int64_t* out) {
    return LoadValue(column.form, reinterpret_cast<const uint8_t*>(text.data()),
                     static_cast<int64_t>(text.size()), out);
  };
  zone.known = load(min, &zone.min) && load(max, &zone.max) && zone.min <= zone.max;
  if (!zone.known) zone.min = zone.max = 0;
  return zone;
}

base::Result<ColumnChunk> ReadChunk(const parquet::ColumnChunkMetaData& metadata,
                                    const FileColumn& column, int64_t rows,
                                    const ParquetFooter& footer) {
  ColumnChunk chunk;
  chunk.data_offset = chunk.offset = metadata.data_page_offset();
  if (metadata.has_dictionary_page() && metadata.dictionary_page_offset() > 0) {
    chunk.offset = std::min(chunk.offset, metadata.dictionary_page_offset());
  }
  chunk.length = metadata.total_compressed_size();
  const int64_t size = footer.identity.size;
  const bool inside = chunk.offset >= 0 && chunk.length >= 0 && chunk.offset <= size &&
                      chunk.length <= size - chunk.offset;
  if (!inside || metadata.num_values() != rows) {
    return Corrupt(footer.path, "column " + column.name + " is described wrongly");
  }
  chunk.zone = ZoneOf(metadata, column);
  return chunk;
}

base::Status AddRowGroups(ParquetFooter* footer) {
  const parquet::FileMetaData& metadata = *footer->metadata;
  for (int g = 0; g < metadata.num_row_groups(); ++g) {
    const auto group = metadata.RowGroup(g);
    const int64_t rows = group->num_rows();
    if (rows < 0 || rows > kMaxRowGroupRows || group->num_columns() != metadata.num_columns()) {
      return Corrupt(footer->path, "row group " + std::to_string(g) + " is described wrongly");
    }
    std::vector<ColumnChunk> chunks;
    for (const FileColumn& column : footer->columns) {
      const auto chunk_metadata = group->ColumnChunk(column.leaf);
      SVM_ASSIGN_OR_RETURN(auto chunk, ReadChunk(*chunk_metadata, column, rows, *footer));
      chunks.push_back(chunk);
    }
    footer->row_group_rows.push_back(rows);
    footer->chunks.push_back(std::move(chunks));
  }
  return base::Status::OK();
}

base::Status Fill(std::vector<uint8_t> bytes, ParquetFooter* footer) {
  try {
    auto length = static_cast<uint32_t>(bytes.size());
    footer->metadata = parquet::FileMetaData::Make(bytes.data(), &length);
    if (footer->metadata->is_encryption_algorithm_set()) {
      return base::MakeError(base::ErrorCode::kUnsupported, footer->path + " is encrypted");
    }
    std::shared_ptr<arrow::Schema> schema;
    const auto status = parquet::arrow::FromParquetSchema(
        footer->metadata->schema(), parquet::default_arrow_reader_properties(), nullptr, &schema);
    if (!status.ok()) return Corrupt(footer->path, status.message());
    for (int i = 0; i < schema->num_fields(); ++i) {
      AddColumn(*footer->metadata, *schema->field(i), i, footer);
    }
    return AddRowGroups(footer);
  } catch (const std::exception& error) {
    return Corrupt(footer->path, error.what());
  }
}

}  // namespace

int ParquetFooter::Find(const std::string& name) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

base::Result<std::shared_ptr<const ParquetFooter>> ParquetFooter::Read(const std::string& path) {
  SVM_FAULT_POINT("storage.footer");
  SVM_ASSIGN_OR_RETURN(const DataFile file, DataFile::Open(path));
  auto footer = std::make_shared<ParquetFooter>();
  footer->path = path;
  footer->identity = file.identity();
  SVM_ASSIGN_OR_RETURN(auto bytes, ReadMetadataBytes(file, path));
  const base::Status filled = Fill(std::move(bytes), footer.get());
  SVM_RETURN_NOT_OK(file.CheckUnchanged());
  SVM_RETURN_NOT_OK(filled);
  return footer;
}

}  // namespace shadowvm::storage
