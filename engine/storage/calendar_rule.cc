// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/calendar_rule.h"

#include <algorithm>
#include <string>

#include "arrow/util/key_value_metadata.h"

namespace shadowvm::storage {
namespace {

using columns::TypeKind;

// From here on both calendars, and their time zones, agree.
constexpr int64_t kFirstGregorianDay = -141'427;                 // 1582-10-15
constexpr int64_t kFirstSharedInstant = -2'208'988'800'000'000;  // 1900-01-01T00:00:00Z

// The names are Spark's, as is the comparison of versions as texts.
bool WrittenGregorian(const parquet::FileMetaData& metadata, bool is_int96) {
  const auto& pairs = metadata.key_value_metadata();
  if (pairs == nullptr) return false;
  const auto version = pairs->Get("org.apache.spark.version");
  if (!version.ok() || *version < (is_int96 ? "3.1.0" : "3.0.0")) return false;
  return !pairs->Contains(is_int96 ? "org.apache.spark.legacyINT96"
                                   : "org.apache.spark.legacyDateTime");
}

}  // namespace

bool MeansGregorianDays(const ParquetFooter& footer, int ordinal) {
  const FileColumn& column = footer.columns[ordinal];
  const bool date = column.type.kind == TypeKind::kDate;
  // Spark reads a wall clock as an instant when it is told to: the same rule holds.
  const bool time =
      column.type.kind == TypeKind::kTimestamp || column.type.kind == TypeKind::kTimestampNtz;
  if (!date && !time) return true;
  if (WrittenGregorian(*footer.metadata, column.form.type == parquet::Type::INT96)) return true;
  const int64_t first = date ? kFirstGregorianDay : kFirstSharedInstant;
  for (size_t g = 0; g < footer.chunks.size(); ++g) {
    const columns::Zone& zone = footer.chunks[g][ordinal].zone;
    const bool nothing = zone.null_count == footer.row_group_rows[g];
    if (!nothing && !(zone.known && zone.min >= first)) return false;
  }
  return true;
}

}  // namespace shadowvm::storage
