// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/pending_file.h"

#include <unistd.h>

#include <fstream>
#include <string>
#include <system_error>

#include "engine/base/fault.h"

namespace shadowvm::cli {

PendingFile::PendingFile(std::filesystem::path final_path)
    : final_path_(std::move(final_path)),
      temporary_path_(final_path_.string() + ".tmp-" + std::to_string(::getpid())) {}

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
