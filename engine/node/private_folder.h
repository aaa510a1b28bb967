// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <filesystem>
#include <memory>

#include "engine/base/status.h"

namespace shadowvm::node {

// A folder of this process alone (0700, a new name each time), locked as long as the process lives
// and removed with all that is in it at the end. The system lets go of the lock however a process
// ends, so a folder whose lock is free was left by a dead one.
class PrivateFolder {
 public:
  // Below 'root', where folders that dead processes of this user have left are removed first.
  // kWriteFailed if there is no such root or nothing can be made in it.
  static base::Result<std::unique_ptr<PrivateFolder>> Make(const std::filesystem::path& root);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  PrivateFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::filesystem::path path_;
  const int lock_;  // on the folder itself
};

}  // namespace shadowvm::node
