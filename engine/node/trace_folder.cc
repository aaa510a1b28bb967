// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/trace_folder.h"

#include <arrow/io/file.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <set>
#include <string_view>
#include <utility>

#include "engine/base/fault.h"
#include "engine/schedule/trace_file.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kForms = {".json", ".svg"};
// How the names begin, with a digit for each 0: the time in UTC.
constexpr std::string_view kPattern = "trace-00000000T000000.000Z-";

base::Status WriteFailed(const fs::path& path, const std::string& complaint) {
  return base::MakeError(base::ErrorCode::kWriteFailed, path.string() + ": " + complaint);
}

// With zeros before it.
std::string Digits(int64_t number, size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

std::string TimeText() {
  const auto now =
      std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 20> date{};
  std::strftime(date.data(), date.size(), "%Y%m%dT%H%M%S", &parts);
  return std::string(date.data()) + "." + Digits(now.time_since_epoch().count() % 1000, 3) + "Z";
}

// Clients choose ids: what is no plain letter or digit may mean something to a file system.
std::string FileNamePart(const std::string& id) {
  constexpr size_t kMostLetters = 64;
  std::string part = id.substr(0, kMostLetters);
  for (char& c : part) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
  }
  return part;
}

bool IsOurs(const std::string& name) {
  if (name.size() < kPattern.size()) return false;
  for (size_t i = 0; i < kPattern.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(name[i])) != 0;
    if (kPattern[i] == '0' ? !digit : name[i] != kPattern[i]) return false;
  }
  return name.ends_with(kForms[0]) || name.ends_with(kForms[1]);
}

// Whole under its name, or not at all.
base::Status WriteWhole(const fs::path& path, const std::string& text) {
  SVM_FAULT_POINT("node.trace.write");
  const fs::path part = path.string() + ".part";
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return WriteFailed(part, std::strerror(errno));
  SVM_ASSIGN_OR_RETURN(const auto out, arrow::io::FileOutputStream::Open(file));
  base::Status status = out->Write(text.data(), static_cast<int64_t>(text.size()));
  if (status.ok()) status = out->Close();
  std::error_code error;
  if (status.ok()) fs::rename(part, path, error);
  if (status.ok() && !error) return base::Status::OK();
  std::error_code ignored;
  fs::remove(part, ignored);
  return WriteFailed(path, error ? error.message() : status.message());
}

base::Status MakeFolder(const fs::path& path) {
  std::error_code error;
  if (fs::create_directories(path, error)) {
    fs::permissions(path, fs::perms::owner_all, error);  // what it tells of queries is its user's
  }
  if (!error && !fs::is_directory(path, error))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error) return WriteFailed(path, error.message());
  if (::access(path.c_str(), W_OK | X_OK) != 0) return WriteFailed(path, std::strerror(errno));
  return base::Status::OK();
}

}  // namespace

base::Result<std::unique_ptr<TraceFolder>> TraceFolder::Make(TraceFolderOptions options) {
  SVM_RETURN_NOT_OK(MakeFolder(options.path));
  return std::unique_ptr<TraceFolder>(new TraceFolder(std::move(options)));
}

void TraceFolder::Keep(const std::string& query, const std::vector<schedule::QueryTrace>& traces) {
  if (traces.empty()) return;
  std::lock_guard lock(mutex_);
  const base::Status status = Write(query, traces);
  RemoveOldest();
  if (status.ok() || std::exchange(warned_, true)) return;
  options_.warn("a trace could not be written: " + status.message());
}

base::Status TraceFolder::Write(const std::string& query,
                                const std::vector<schedule::QueryTrace>& traces) {
  const std::string name =
      "trace-" + TimeText() + "-" + Digits(++num_written_, 6) + "-" + FileNamePart(query);
  for (const char* form : kForms) {
    const fs::path path = options_.path / (name + form);
    SVM_RETURN_NOT_OK(WriteWhole(path, schedule::TraceText(traces, path.string())));
  }
  return base::Status::OK();
}

void TraceFolder::RemoveOldest() const {
  std::error_code error;
  std::set<std::string> queries;  // names without their forms, the oldest first
  for (auto at = fs::directory_iterator(options_.path, error); at != fs::directory_iterator();
       at.increment(error)) {
    if (IsOurs(at->path().filename())) queries.insert(at->path().stem());
    if (error) return;
  }
  for (; std::cmp_greater(queries.size(), options_.most_queries); queries.erase(queries.begin())) {
    for (const char* form : kForms) fs::remove(options_.path / (*queries.begin() + form), error);
  }
}

}  // namespace shadowvm::node
