// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/data_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/fault.h"

namespace shadowvm::storage {
namespace {

base::Status Changed(const std::string& path) {
  return base::MakeError(base::ErrorCode::kFileChanged, path);
}

}  // namespace

base::Result<DataFile> DataFile::Open(const std::string& path) {
  SVM_FAULT_POINT("storage.open");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return base::MakeError(missing ? base::ErrorCode::kFileMissing : base::ErrorCode::kReadFailed,
                           missing ? path : path + ": " + std::strerror(errno));
  }
  DataFile file(descriptor, path, {});
  SVM_ASSIGN_OR_RETURN(file.identity_, FileIdentity::Of(descriptor, path));
  return file;
}

base::Result<DataFile> DataFile::Open(const std::string& path, const FileIdentity& expected) {
  auto file = Open(path);
  if (!file.ok()) {
    // The file was there when the table was opened.
    return base::CodeOf(file.status()) == base::ErrorCode::kFileMissing ? Changed(path)
                                                                        : file.status();
  }
  if (file->identity() != expected) return Changed(path);
  return file;
}

DataFile::DataFile(DataFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      path_(std::move(other.path_)),
      identity_(other.identity_) {}

DataFile::~DataFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

base::Status DataFile::Read(int64_t offset, int64_t size, uint8_t* out) const {
  SVM_FAULT_POINT("storage.page.read");
  while (size > 0) {
    const ssize_t got = pread(descriptor_, out, size, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return base::MakeError(base::ErrorCode::kReadFailed, path_ + ": " + std::strerror(errno));
    }
    if (got == 0) return Changed(path_);
    offset += got;
    out += got;
    size -= got;
  }
  return base::Status::OK();
}

base::Status DataFile::CheckUnchanged() const {
  SVM_ASSIGN_OR_RETURN(const FileIdentity now, FileIdentity::Of(descriptor_, path_));
  return now == identity_ ? base::Status::OK() : Changed(path_);
}

}  // namespace shadowvm::storage
