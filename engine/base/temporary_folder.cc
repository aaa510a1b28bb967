// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/base/temporary_folder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace shadowvm::base {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::Make() {
  std::error_code ignored;
  std::string name = (fs::temp_directory_path(ignored) / "shadowvm-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    return MakeError(ErrorCode::kWriteFailed, name + ": " + std::strerror(errno));
  }
  return TemporaryFolder(std::move(name));
}

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace shadowvm::base
