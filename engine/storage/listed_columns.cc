// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/listed_columns.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/storage/calendar_rule.h"
#include "engine/storage/file_conversion.h"

namespace shadowvm::storage {
namespace {

base::Status Refuse(const ParquetFooter& file, const std::string& column, const std::string& why) {
  return base::MakeError(base::ErrorCode::kUnsupported,
                         file.path + ": column " + column + " " + why);
}

bool SameName(std::string_view a, std::string_view b, bool case_sensitive) {
  if (case_sensitive || a.size() != b.size()) return a == b;
  const auto fold = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
  return std::equal(a.begin(), a.end(), b.begin(),
                    [&](char x, char y) { return fold(x) == fold(y); });
}

bool BeyondAscii(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](char c) { return (c & 0x80) != 0; });
}

// Spark folds the letters of all alphabets, we those of ASCII: a name without a match may have one.
bool MayHideMatch(const ParquetFooter& file) {
  return std::any_of(file.columns.begin(), file.columns.end(),
                     [](const FileColumn& column) { return BeyondAscii(column.name); }) ||
         std::any_of(file.unsupported.begin(), file.unsupported.end(),
                     [](const auto& column) { return BeyondAscii(column.first); });
}

// The ordinal of the only column of that name, or -1. Few names are asked for, so that an index of
// them would cost more than it saves.
base::Result<int> FindColumn(const ParquetFooter& file, const std::string& name,
                             bool case_sensitive) {
  int found = -1;
  int matches = 0;
  for (size_t i = 0; i < file.columns.size(); ++i) {
    if (!SameName(file.columns[i].name, name, case_sensitive)) continue;
    found = static_cast<int>(i);
    ++matches;
  }
  std::string foreign_type;
  for (const auto& [column, type] : file.unsupported) {
    if (!SameName(column, name, case_sensitive)) continue;
    foreign_type = type;
    ++matches;
  }
  if (matches > 1) return Refuse(file, name, "is ambiguous: several have the name");
  if (!foreign_type.empty()) return Refuse(file, name, "is of type " + foreign_type);
  if (matches == 0 && !case_sensitive && MayHideMatch(file)) {
    return Refuse(file, name, "may be one whose name has letters beyond ASCII");
  }
  return found;
}

base::Status CheckColumn(const ParquetFooter& file, int ordinal, const columns::Field& wanted) {
  const FileColumn& column = file.columns[ordinal];
  if (!ReadsAs(file, column, wanted.type)) {
    const auto* descriptor = file.metadata->schema()->Column(column.leaf);
    return Refuse(file, column.name,
                  "is " + parquet::TypeToString(descriptor->physical_type()) + " " +
                      descriptor->logical_type()->ToString() + ", which is not read as " +
                      wanted.type.ToString());
  }
  const bool rebased = wanted.type.kind != columns::TypeKind::kTimestampNtz;
  if (rebased && !MeansGregorianDays(file, ordinal)) {
    return Refuse(file, column.name, "may hold dates of the calendar in use before 1582");
  }
  return base::Status::OK();
}

// What the files do not promise, they may break.
base::Status CheckNulls(const FileSet& files, const columns::Field& field,
                        const ColumnOrigin& origin) {
  if (field.nullable) return base::Status::OK();
  for (size_t i = 0; i < files.files.size(); ++i) {
    const ParquetFooter& file = *files.files[i];
    bool nulls = origin.is_partition() ? origin.values[i].is_null : origin.in_file[i] < 0;
    for (const auto& chunks : file.chunks) {
      nulls = nulls || (!origin.is_partition() && chunks[origin.in_file[i]].zone.null_count != 0);
    }
    if (nulls) return Refuse(file, field.name, "may hold nulls, which its schema forbids");
  }
  return base::Status::OK();
}

}  // namespace

base::Result<BoundColumns> BindColumns(const FileList& list, const FileSet& files) {
  BoundColumns bound;
  for (const columns::Field& field : list.data) {
    bound.schema.fields.push_back(field);
    bound.origins.push_back({field.type, {}, {}});
  }
  for (const auto& file : files.files) {
    for (size_t i = 0; i < list.data.size(); ++i) {
      SVM_ASSIGN_OR_RETURN(const int ordinal,
                           FindColumn(*file, list.data[i].name, list.case_sensitive));
      if (ordinal >= 0) {
        SVM_RETURN_NOT_OK(CheckColumn(*file, ordinal, list.data[i]));
      }
      bound.origins[i].in_file.push_back(ordinal);
    }
  }
  for (const PartitionColumn& partition : list.partitions) {
    bound.schema.fields.push_back(partition.field);
    bound.origins.push_back({partition.field.type, {}, partition.values});
  }
  for (size_t i = 0; i < bound.origins.size(); ++i) {
    SVM_RETURN_NOT_OK(CheckNulls(files, bound.schema.fields[i], bound.origins[i]));
  }
  return bound;
}

}  // namespace shadowvm::storage
