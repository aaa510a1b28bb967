// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <filesystem>

#include "engine/base/status.h"

namespace shadowvm::cli {

// A file that is written under a temporary name beside its final one. Commit gives it the final
// name at once; without Commit nothing is left behind. What a killed process left is removed by the
// next one that writes the same file.
class PendingFile {
 public:
  explicit PendingFile(std::filesystem::path final_path);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  const std::filesystem::path& final_path() const { return final_path_; }
  const std::filesystem::path& temporary_path() const { return temporary_path_; }
  base::Status Commit();

 private:
  std::filesystem::path final_path_;
  std::filesystem::path temporary_path_;
};

// An error now instead of one after minutes of work: the file, or its folder, cannot be written.
base::Status CheckWritable(const std::filesystem::path& path);

// Writes a whole text file through a PendingFile.
base::Status WriteTextFile(const std::filesystem::path& path, std::string_view text);

}  // namespace shadowvm::cli
