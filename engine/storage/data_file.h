// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>

#include "engine/base/status.h"
#include "engine/storage/file_identity.h"

namespace shadowvm::storage {

// A file opened for positional reads. Plain reads, never a mapping: a file that is truncated under
// a mapping kills the process, under a read it is an error.
class DataFile {
 public:
  // kFileMissing, kReadFailed.
  static base::Result<DataFile> Open(const std::string& path);
  // Also kFileChanged when it is not the file 'expected'.
  static base::Result<DataFile> Open(const std::string& path, const FileIdentity& expected);
  ~DataFile();
  DataFile(DataFile&& other) noexcept;
  DataFile& operator=(DataFile&&) = delete;

  // All of 'size' bytes at 'offset', or kReadFailed; kFileChanged when the file ends before them.
  base::Status Read(int64_t offset, int64_t size, uint8_t* out) const;
  // kFileChanged when the file was written to since it was opened.
  base::Status CheckUnchanged() const;
  const FileIdentity& identity() const { return identity_; }

 private:
  DataFile(int descriptor, std::string path, FileIdentity identity)
      : descriptor_(descriptor), path_(std::move(path)), identity_(identity) {}

  int descriptor_;
  std::string path_;
  FileIdentity identity_;
};

}  // namespace shadowvm::storage
