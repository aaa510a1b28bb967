// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/session_registry.h"

#include <cstdio>
#include <random>

namespace shadowvm::node {
namespace {

std::string RandomName() {
  std::random_device random;
  std::string name;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", random());
    name += digits;
  }
  return name;
}

}  // namespace

std::string SessionRegistry::Open(Milliseconds lease, TimePoint now) {
  std::string session = RandomName();
  std::lock_guard lock(mutex_);
  leases_[session] = {lease, now + lease};
  return session;
}

base::Status SessionRegistry::Renew(const std::string& session, TimePoint now) {
  std::lock_guard lock(mutex_);
  const auto found = leases_.find(session);
  if (found == leases_.end() || found->second.end <= now) {
    return base::MakeError(base::ErrorCode::kUnknownSession,
                           session.empty() ? "the call names none: shake hands first"
                                           : "it was closed or its lease ended: shake hands again");
  }
  found->second.end = now + found->second.length;
  return base::Status::OK();
}

void SessionRegistry::Close(const std::string& session) {
  std::lock_guard lock(mutex_);
  leases_.erase(session);
}

std::vector<std::string> SessionRegistry::TakeExpired(TimePoint now) {
  std::lock_guard lock(mutex_);
  std::vector<std::string> expired;
  for (auto lease = leases_.begin(); lease != leases_.end();) {
    if (lease->second.end > now) {
      ++lease;
      continue;
    }
    expired.push_back(lease->first);
    lease = leases_.erase(lease);
  }
  return expired;
}

int64_t SessionRegistry::size() const {
  std::lock_guard lock(mutex_);
  return static_cast<int64_t>(leases_.size());
}

}  // namespace shadowvm::node
