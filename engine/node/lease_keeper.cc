// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/lease_keeper.h"

namespace shadowvm::node {
namespace {

constexpr Milliseconds kPeriod{50};

}  // namespace

void SessionGoods::End(const std::string& session) const {
  queries->CancelSession(session);
  answers->Drop(session);
}

void EndExpired(SessionRegistry* sessions, const SessionGoods& goods, TimePoint now) {
  for (const std::string& session : sessions->TakeExpired(now)) goods.End(session);
}

LeaseKeeper::LeaseKeeper(SessionRegistry* sessions, SessionGoods goods)
    : thread_(
          [this, sessions, goods](const std::stop_token& stop) { Keep(stop, sessions, goods); }) {}

void LeaseKeeper::Keep(const std::stop_token& stop, SessionRegistry* sessions, SessionGoods goods) {
  while (!stop.stop_requested()) {
    EndExpired(sessions, goods, std::chrono::steady_clock::now());
    goods.answers->Sweep();
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, stop, kPeriod, [] { return false; });
  }
}

}  // namespace shadowvm::node
