// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/base/status.h"

namespace shadowvm::storage {

// What makes a file the same file with the same content: any write changes at least ctime.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;
  bool operator==(const FileIdentity&) const = default;

  // kFileMissing if there is nothing, kReadFailed for any other reason.
  static base::Result<FileIdentity> Of(const std::string& path);
  static base::Result<FileIdentity> Of(int descriptor, const std::string& path);
  size_t hash() const;
};

}  // namespace shadowvm::storage
