// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "engine/node/query_registry.h"
#include "engine/node/session_registry.h"
#include "engine/node/shared_answers.h"

namespace shadowvm::node {

// What sessions own. All of it outlives whoever is given it.
struct SessionGoods {
  QueryRegistry* queries;
  SharedAnswers* answers;

  // Cancels and drops all that is a session's.
  void End(const std::string& session) const;
};

// A thread that ends what belongs to sessions whose lease has ended.
class LeaseKeeper {
 public:
  LeaseKeeper(SessionRegistry* sessions, SessionGoods goods);

 private:
  void Keep(const std::stop_token& stop, SessionRegistry* sessions, SessionGoods goods);

  std::mutex mutex_;
  std::condition_variable_any stopping_;
  std::jthread thread_;  // the last member: it ends before what it uses
};

// One round of it: the sessions that expired by 'now' lose their queries and answers.
void EndExpired(SessionRegistry* sessions, const SessionGoods& goods, TimePoint now);

}  // namespace shadowvm::node
