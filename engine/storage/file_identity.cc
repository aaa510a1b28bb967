// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/storage/file_identity.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "engine/base/fault.h"

namespace shadowvm::storage {
namespace {

FileIdentity From(const struct stat& info) {
  constexpr int64_t kNanos = 1'000'000'000;
  return {info.st_dev, info.st_ino, info.st_size,
          info.st_mtim.tv_sec * kNanos + info.st_mtim.tv_nsec,
          info.st_ctim.tv_sec * kNanos + info.st_ctim.tv_nsec};
}

base::Status Failed(const std::string& path, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  return base::MakeError(missing ? base::ErrorCode::kFileMissing : base::ErrorCode::kReadFailed,
                         missing ? path : path + ": " + std::strerror(error));
}

}  // namespace

base::Result<FileIdentity> FileIdentity::Of(const std::string& path) {
  SVM_FAULT_POINT("storage.stat");
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return Failed(path, errno);
  return From(info);
}

base::Result<FileIdentity> FileIdentity::Of(int descriptor, const std::string& path) {
  SVM_FAULT_POINT("storage.stat");
  struct stat info;
  if (fstat(descriptor, &info) != 0) return Failed(path, errno);
  return From(info);
}

size_t FileIdentity::hash() const {
  uint64_t hash = 0;
  for (const uint64_t part : {device, inode, static_cast<uint64_t>(size),
                              static_cast<uint64_t>(mtime_ns), static_cast<uint64_t>(ctime_ns)}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace shadowvm::storage
