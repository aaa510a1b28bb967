// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/file_listing.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "engine/base/fault.h"

namespace shadowvm::storage {
namespace {

namespace fs = std::filesystem;
using Partition = decltype(ListedFile::partition);

std::string PercentDecoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 1] + 2, value, 16).ptr == &text[i + 1] + 2) {
      decoded.push_back(static_cast<char>(value));
      i += 2;
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

// Adds the key and value of a folder named key=value.
void AddFolder(const std::string& name, Partition* partition) {
  const size_t equals = name.find('=');
  if (equals == std::string::npos || equals == 0) return;
  const std::string text = name.substr(equals + 1);
  std::optional<std::string> value;
  if (text != "__HIVE_DEFAULT_PARTITION__") value = PercentDecoded(text);
  partition->emplace_back(PercentDecoded(name.substr(0, equals)), std::move(value));
}

base::Status ReadFailed(const fs::path& path, const std::error_code& error) {
  return base::MakeError(base::ErrorCode::kReadFailed, path.string() + ": " + error.message());
}

base::Status ListFolder(const fs::path& folder, const Partition& partition,
                        std::vector<ListedFile>* files) {
  SVM_FAULT_POINT("storage.list");
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name[0] != '_' && name[0] != '.') entries.push_back(*it);
  }
  if (error) return ReadFailed(folder, error);
  std::sort(entries.begin(), entries.end());
  for (const auto& entry : entries) {
    if (!entry.is_directory(error)) {
      if (entry.is_regular_file(error)) files->push_back({entry.path().string(), partition});
      continue;
    }
    Partition inner = partition;
    AddFolder(entry.path().filename().string(), &inner);
    SVM_RETURN_NOT_OK(ListFolder(entry.path(), inner, files));
  }
  return base::Status::OK();
}

base::Status ListPath(const std::string& path, std::vector<ListedFile>* files) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return base::MakeError(base::ErrorCode::kFileMissing, path);
  }
  if (error) return ReadFailed(path, error);
  if (fs::is_directory(status)) return ListFolder(path, {}, files);
  files->push_back({path, {}});
  return base::Status::OK();
}

bool SameKeys(const Partition& a, const Partition& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

bool ParseInteger(const std::string& text, int64_t* value) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, *value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  // "007" and "-0" are not how a number is written: as one they would lose their form.
  return std::to_string(*value) == text;
}

bool ParseDate(const std::string& text, int64_t* days) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int used = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &used) != 3) return false;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}};
  if (used != 10 || !date.ok()) return false;
  *days = std::chrono::sys_days{date}.time_since_epoch().count();
  return true;
}

// Parses every value; false if one is not of that form.
template <typename Parse>
bool ParseAll(PartitionColumn* column, Parse parse) {
  column->values.assign(column->texts.size(), 0);
  for (size_t i = 0; i < column->texts.size(); ++i) {
    if (column->texts[i].has_value() && !parse(*column->texts[i], &column->values[i])) return false;
  }
  return true;
}

columns::TypeKind InferType(PartitionColumn* column) {
  const auto has_value = [](const auto& text) { return text.has_value(); };
  if (std::none_of(column->texts.begin(), column->texts.end(), has_value)) {
    return columns::TypeKind::kString;
  }
  if (ParseAll(column, ParseInteger)) {
    const auto [min, max] = std::minmax_element(column->values.begin(), column->values.end());
    return *min >= INT32_MIN && *max <= INT32_MAX ? columns::TypeKind::kInt32
                                                  : columns::TypeKind::kInt64;
  }
  return ParseAll(column, ParseDate) ? columns::TypeKind::kDate : columns::TypeKind::kString;
}

}  // namespace

base::Result<std::vector<ListedFile>> ListFiles(std::span<const std::string> paths) {
  std::vector<ListedFile> files;
  for (const std::string& path : paths) SVM_RETURN_NOT_OK(ListPath(path, &files));
  if (files.empty()) {
    return base::MakeError(base::ErrorCode::kNoDataFiles,
                           paths.empty() ? "no path was given" : paths.front());
  }
  for (const ListedFile& file : files) {
    if (!SameKeys(file.partition, files[0].partition)) {
      return base::MakeError(base::ErrorCode::kSchemaMismatch,
                             file.path + " lies under other partition keys than " + files[0].path);
    }
  }
  return files;
}

std::vector<PartitionColumn> PartitionColumns(const std::vector<ListedFile>& files) {
  std::vector<PartitionColumn> columns;
  for (size_t key = 0; key < files[0].partition.size(); ++key) {
    PartitionColumn column;
    for (const ListedFile& file : files) column.texts.push_back(file.partition[key].second);
    const columns::TypeKind kind = InferType(&column);
    column.field = {files[0].partition[key].first, columns::Type::Of(kind), true};
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace shadowvm::storage
