// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/socket_claim.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "engine/base/fault.h"

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::MakeError;
using base::Status;

Status BadPath(const fs::path& path, const std::string& complaint) {
  return MakeError(ErrorCode::kBadAddress, path.string() + ": " + complaint);
}

Status SystemError(const fs::path& path) { return BadPath(path, std::strerror(errno)); }

Status InUse(const fs::path& path) {
  return MakeError(ErrorCode::kAddressInUse, path.string() + ": another node listens there");
}

Status MakeFolder(const fs::path& folder) {
  std::error_code ignored;  // what is missing shows below
  fs::create_directories(folder.parent_path(), ignored);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return SystemError(folder);
  return Status::OK();
}

Status CheckFolder(const fs::path& folder) {
  struct stat info;
  if (::lstat(folder.c_str(), &info) != 0) return SystemError(folder);
  if (!S_ISDIR(info.st_mode)) return BadPath(folder, "is no folder");
  if (info.st_uid != ::geteuid()) return BadPath(folder, "is owned by another user");
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return BadPath(folder, "other users may write to it: chmod 700 it, or choose another");
  }
  return Status::OK();
}

bool Listens(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool answered =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  return answered;
}

// The lock is ours, so a socket that is left is nobody's, unless a program without our lock made
// it.
Status RemoveStale(const fs::path& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? Status::OK() : SystemError(path);
  }
  if (!S_ISSOCK(info.st_mode)) return BadPath(path, "is there already and is no socket");
  if (Listens(path)) return InUse(path);
  return ::unlink(path.c_str()) == 0 ? Status::OK() : SystemError(path);
}

}  // namespace

SocketClaim::SocketClaim(fs::path path)
    : path_(std::move(path)), lock_path_(path_.string() + ".lock") {}

base::Result<std::unique_ptr<SocketClaim>> SocketClaim::Make(const fs::path& path) {
  SVM_FAULT_POINT("node.socket.claim");
  SVM_RETURN_NOT_OK(MakeFolder(path.parent_path()));
  SVM_RETURN_NOT_OK(CheckFolder(path.parent_path()));
  std::unique_ptr<SocketClaim> claim(new SocketClaim(path));
  SVM_RETURN_NOT_OK(claim->Lock());
  SVM_RETURN_NOT_OK(RemoveStale(path));
  claim->owns_path_ = true;
  return claim;
}

SocketClaim::~SocketClaim() {
  if (lock_ < 0) return;
  // While the lock is held, so that the next node's files are never the ones removed.
  if (owns_path_) ::unlink(path_.c_str());
  ::unlink(lock_path_.c_str());
  ::close(lock_);
}

Status SocketClaim::Lock() {
  for (;;) {
    SVM_ASSIGN_OR_RETURN(const bool locked, TryLock());
    if (locked) return Status::OK();
  }
}

base::Result<bool> SocketClaim::TryLock() {
  const int file = ::open(lock_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return SystemError(lock_path_);
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    Status status = taken ? InUse(path_) : SystemError(lock_path_);
    ::close(file);
    return status;
  }
  struct stat locked;
  struct stat named;
  // A node that ended between our open and our lock has removed the file that we hold.
  const bool same = ::fstat(file, &locked) == 0 && ::stat(lock_path_.c_str(), &named) == 0 &&
                    locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
  if (same) {
    lock_ = file;
  } else {
    ::close(file);
  }
  return same;
}

}  // namespace shadowvm::node
