// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <filesystem>
#include <memory>

#include "engine/base/status.h"

namespace shadowvm::node {

// The right to listen at a path. Held by a lock on a file beside the socket, which the system lets
// go of however the process ends: a socket whose lock is free belongs to a dead node and is
// removed, and of two nodes that start at once one is refused. Ends by removing both files.
class SocketClaim {
 public:
  // Makes the folder (0700) if there is none. kBadAddress if it is another user's, or others may
  // write to it, or the path is taken by something that is no socket; kAddressInUse if somebody
  // listens there. Fault point "node.socket.claim".
  static base::Result<std::unique_ptr<SocketClaim>> Make(const std::filesystem::path& path);
  ~SocketClaim();
  SocketClaim(const SocketClaim&) = delete;
  SocketClaim& operator=(const SocketClaim&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit SocketClaim(std::filesystem::path path);
  base::Status Lock();
  // True when the lock is ours and the file is still the one that its path names.
  base::Result<bool> TryLock();

  const std::filesystem::path path_;
  const std::filesystem::path lock_path_;
  int lock_ = -1;
  bool owns_path_ = false;  // what lies at the path is the holder's
};

}  // namespace shadowvm::node
