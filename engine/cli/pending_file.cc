// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/pending_file.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "engine/base/fault.h"

namespace shadowvm::cli {

namespace {

constexpr std::string_view kTemporary = ".tmp-";

// Removes what processes left beside a file that were killed while they wrote it.
void RemoveAbandoned(const std::filesystem::path& final_path) {
  const std::string stem = final_path.filename().string() + std::string(kTemporary);
  const auto folder = final_path.has_parent_path() ? final_path.parent_path() : ".";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(stem)) continue;
    const int pid = std::atoi(name.c_str() + stem.size());
    const bool alive = pid <= 0 || ::kill(pid, 0) == 0 || errno != ESRCH;
    if (!alive) std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace

PendingFile::PendingFile(std::filesystem::path final_path)
    : final_path_(std::move(final_path)),
      temporary_path_(final_path_.string() + std::string(kTemporary) + std::to_string(::getpid())) {
  RemoveAbandoned(final_path_);
}

PendingFile::~PendingFile() {
  std::error_code ignored;  // after Commit there is nothing to remove
  std::filesystem::remove(temporary_path_, ignored);
}

base::Status PendingFile::Commit() {
  SVM_FAULT_POINT("cli.file.commit");
  std::error_code error;
  std::filesystem::rename(temporary_path_, final_path_, error);
  if (!error) return base::Status::OK();
  return base::MakeError(base::ErrorCode::kWriteFailed,
                         final_path_.string() + ": " + error.message());
}

base::Status CheckWritable(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return base::MakeError(base::ErrorCode::kWriteFailed, path.string() + ": is a folder");
  }
  const PendingFile probe(path);
  if (std::ofstream(probe.temporary_path()).is_open()) return base::Status::OK();
  return base::MakeError(base::ErrorCode::kWriteFailed,
                         path.string() + ": " + std::strerror(errno));
}

base::Status WriteTextFile(const std::filesystem::path& path, std::string_view text) {
  PendingFile pending(path);
  SVM_FAULT_POINT("cli.file.write");
  std::ofstream file(pending.temporary_path(), std::ios::binary);
  file << text;
  file.close();
  if (!file)
    return base::MakeError(base::ErrorCode::kWriteFailed, path.string() + ": cannot be written");
  return pending.Commit();
}

}  // namespace shadowvm::cli
