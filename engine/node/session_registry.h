// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/base/status.h"

namespace shadowvm::node {

using TimePoint = std::chrono::steady_clock::time_point;
using Milliseconds = std::chrono::milliseconds;

// Who is connected, and until when we believe it. Knows nothing of queries: its owner asks for the
// sessions that expired and ends what is theirs. The time is an argument, so that tests need not
// wait. Thread-safe.
class SessionRegistry {
 public:
  // The new session's name, which cannot be guessed.
  std::string Open(Milliseconds lease, TimePoint now);
  // Begins the lease anew. kUnknownSession if there is no such session, or its lease has ended.
  base::Status Renew(const std::string& session, TimePoint now);
  void Close(const std::string& session);
  // The sessions whose lease has ended by now; they are closed.
  std::vector<std::string> TakeExpired(TimePoint now);
  int64_t size() const;

 private:
  struct Lease {
    Milliseconds length;
    TimePoint end;
  };

  mutable std::mutex mutex_;
  std::map<std::string, Lease> leases_;
};

}  // namespace shadowvm::node
