// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/node/query_registry.h"
#include "engine/node/session_registry.h"

namespace shadowvm::node {

// A thread that ends what belongs to sessions whose lease has ended. Both registries outlive it.
class LeaseKeeper {
 public:
  LeaseKeeper(SessionRegistry* sessions, QueryRegistry* queries);

 private:
  void Keep(const std::stop_token& stop, SessionRegistry* sessions, QueryRegistry* queries);

  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;  // the last member: it ends before what it uses
};

// One round of it: the sessions that expired by 'now' lose their queries and answers.
void EndExpired(SessionRegistry* sessions, QueryRegistry* queries, TimePoint now);

}  // namespace shadowvm::node
