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

using Texts = std::vector<std::optional<std::string>>;

// Parses every value; false if one is not of that form.
template <typename Parse>
bool ParseAll(const Texts& texts, std::vector<PartitionValue>* values, Parse parse) {
  values->assign(texts.size(), {});
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].has_value()) continue;
    int64_t value = 0;
    if (!parse(*texts[i], &value)) return false;
    (*values)[i] = PartitionValue::Integer(value);
  }
  return true;
}

columns::TypeKind KeepTexts(const Texts& texts, std::vector<PartitionValue>* values) {
  values->assign(texts.size(), {});
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].has_value()) (*values)[i] = PartitionValue::Text(*texts[i]);
  }
  return columns::TypeKind::kString;
}

columns::TypeKind InferType(const Texts& texts, std::vector<PartitionValue>* values) {
  const auto has_value = [](const auto& text) { return text.has_value(); };
  if (std::none_of(texts.begin(), texts.end(), has_value)) return KeepTexts(texts, values);
  if (ParseAll(texts, values, ParseInteger)) {
    const auto is_small = [](const PartitionValue& value) {
      return value.integer >= INT32_MIN && value.integer <= INT32_MAX;
    };
    const bool small = std::all_of(values->begin(), values->end(), is_small);
    return small ? columns::TypeKind::kInt32 : columns::TypeKind::kInt64;
  }
  if (ParseAll(texts, values, ParseDate)) return columns::TypeKind::kDate;
  return KeepTexts(texts, values);
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
    Texts texts;
    for (const ListedFile& file : files) texts.push_back(file.partition[key].second);
    const columns::TypeKind kind = InferType(texts, &column.values);
    column.field = {files[0].partition[key].first, columns::Type::Of(kind), true};
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace shadowvm::storage
