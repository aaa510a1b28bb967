// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/lease_keeper.h"

namespace shadowvm::node {
namespace {

constexpr Milliseconds kPeriod{50};

}  // namespace

void EndExpired(SessionRegistry* sessions, QueryRegistry* queries, TimePoint now) {
  for (const std::string& session : sessions->TakeExpired(now)) queries->CancelSession(session);
}

LeaseKeeper::LeaseKeeper(SessionRegistry* sessions, QueryRegistry* queries)
    : thread_([this, sessions, queries](const std::stop_token& stop) {
        Keep(stop, sessions, queries);
      }) {}

void LeaseKeeper::Keep(const std::stop_token& stop, SessionRegistry* sessions,
                       QueryRegistry* queries) {
  while (!stop.stop_requested()) {
    EndExpired(sessions, queries, std::chrono::steady_clock::now());
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, kPeriod, [] { return false; });
  }
}

}  // namespace shadowvm::node
