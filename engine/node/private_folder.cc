// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/private_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

namespace shadowvm::node {
namespace {

namespace fs = std::filesystem;

std::string NamePrefix() { return "shadowvm-node-" + std::to_string(::geteuid()) + "-"; }

// A folder of this user, open and locked; -1 if it is not there, not ours, or somebody lives in it.
int LockFolder(const fs::path& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  struct stat locked;
  struct stat named;
  // Between the open and the lock its owner may have removed it.
  const bool ours = ::flock(folder, LOCK_EX | LOCK_NB) == 0 && ::fstat(folder, &locked) == 0 &&
                    ::lstat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
                    locked.st_uid == ::geteuid();
  if (ours) return folder;
  ::close(folder);
  return -1;
}

// While the lock is held, so that nobody moves in meanwhile.
void RemoveLocked(const fs::path& path, int lock) {
  std::error_code ignored;  // what cannot be removed now is removed by the next that starts
  fs::remove_all(path, ignored);
  ::close(lock);
}

void RemoveLeftovers(const fs::path& root) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    if (!entry.path().filename().string().starts_with(NamePrefix())) continue;
    if (const int lock = LockFolder(entry.path()); lock >= 0) RemoveLocked(entry.path(), lock);
  }
}

}  // namespace

base::Result<std::unique_ptr<PrivateFolder>> PrivateFolder::Make(const fs::path& root) {
  RemoveLeftovers(root);
  for (;;) {
    std::string path = (root / (NamePrefix() + "XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) {
      return base::MakeError(base::ErrorCode::kWriteFailed,
                             root.string() + ": " + std::strerror(errno));
    }
    // Another process that starts now may have taken it for a leftover: then we make another.
    const int lock = LockFolder(path);
    if (lock >= 0) return std::unique_ptr<PrivateFolder>(new PrivateFolder(path, lock));
  }
}

PrivateFolder::~PrivateFolder() { RemoveLocked(path_, lock_); }

}  // namespace shadowvm::node
