// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/merged_columns.h"

#include <algorithm>
#include <utility>

namespace shadowvm::storage {
namespace {

using columns::Type;

struct MergedColumn {
  columns::Field field;
  std::vector<int> in_file;
};

// The type that holds both, or nothing.
bool Widen(Type a, Type b, Type* out) {
  if (a.is_integer() && b.is_integer()) {
    out->kind = std::max(a.kind, b.kind);
    return true;
  }
  if (a.is_float() && b.is_float()) {
    *out = Type::Of(columns::TypeKind::kDouble);
    return true;
  }
  if (a.is_decimal() && b.is_decimal() && a.scale == b.scale) {
    *out = Type::Decimal(std::max(a.precision, b.precision), a.scale);
    return true;
  }
  return false;
}

base::Status Merge(const ParquetFooter& file, int file_ordinal,
                   std::vector<MergedColumn>* columns) {
  for (size_t i = 0; i < file.columns.size(); ++i) {
    const FileColumn& column = file.columns[i];
    auto found = std::find_if(columns->begin(), columns->end(), [&](const MergedColumn& known) {
      return known.field.name == column.name;
    });
    if (found == columns->end()) {
      found = columns->insert(columns->end(), MergedColumn{});
      // Files before this one lack the column.
      found->field = {column.name, column.type, column.optional || file_ordinal > 0};
      found->in_file.assign(file_ordinal, -1);
    }
    Type& type = found->field.type;
    if (type != column.type && !Widen(type, column.type, &type)) {
      return base::MakeError(base::ErrorCode::kSchemaMismatch,
                             file.path + ": column " + column.name + " is " +
                                 column.type.ToString() + ", elsewhere " + type.ToString());
    }
    if (static_cast<int>(found->in_file.size()) > file_ordinal) {
      return base::MakeError(base::ErrorCode::kSchemaMismatch,
                             file.path + ": column " + column.name + " is there twice");
    }
    found->field.nullable |= column.optional;
    found->in_file.push_back(static_cast<int>(i));
  }
  for (MergedColumn& column : *columns) {
    if (static_cast<int>(column.in_file.size()) > file_ordinal) continue;
    column.in_file.push_back(-1);
    column.field.nullable = true;
  }
  return base::Status::OK();
}

}  // namespace

base::Result<BoundColumns> MergeColumns(const FileSet& files,
                                        const std::vector<PartitionColumn>& partitions) {
  std::vector<MergedColumn> merged;
  for (size_t i = 0; i < files.files.size(); ++i) {
    SVM_RETURN_NOT_OK(Merge(*files.files[i], static_cast<int>(i), &merged));
  }
  const ParquetFooter& first = *files.files[0];
  if (merged.empty() && !first.unsupported.empty()) {
    const auto& [column, type] = first.unsupported[0];
    return base::MakeError(base::ErrorCode::kUnsupportedType,
                           first.path + ": column " + column + " has type " + type);
  }
  for (const PartitionColumn& partition : partitions) {
    std::erase_if(merged, [&](const MergedColumn& column) {
      return column.field.name == partition.field.name;
    });
  }
  BoundColumns bound;
  for (MergedColumn& column : merged) {
    bound.schema.fields.push_back(column.field);
    bound.origins.push_back({column.field.type, std::move(column.in_file), {}});
  }
  for (const PartitionColumn& partition : partitions) {
    bound.schema.fields.push_back(partition.field);
    bound.origins.push_back({partition.field.type, {}, partition.values});
  }
  // Files may disagree on the type; the first one speaks for all.
  for (const auto& [name, type] : first.unsupported) bound.schema.left_out.push_back({name, type});
  return bound;
}

}  // namespace shadowvm::storage
