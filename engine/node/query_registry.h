// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "engine/node/query.h"

namespace shadowvm::node {

struct QueryCounts {
  int64_t kept = 0;
  int64_t running = 0;
  int64_t done = 0;
  int64_t failed = 0;
  int64_t cancelled = 0;
};

// The queries of all sessions, by session and id. One is kept from its registration until its
// answer was fetched, it was cancelled, or its session ended. When queries run short of memory,
// answers that nobody waits for go earlier: their senders register them again. So do the oldest
// queries of a session that registers many and runs none. Thread-safe.
class QueryRegistry : public memory::Reclaimer {
 public:
  // That a session may have registered without asking for them.
  static constexpr size_t kMostIdle = 256;

  explicit QueryRegistry(memory::MemoryBudget* budget);
  ~QueryRegistry() override;

  // Registers a command. The same id and bytes again answer with the query that is there;
  // kBadCommand if the id stands for other bytes; kNodeStopping after Close. An empty id is chosen
  // here.
  base::Result<std::shared_ptr<Query>> Add(const std::string& session, const std::string& id,
                                           CheckedCommand command);
  // What Add would answer with without having to plan the command: null if the id is free.
  base::Result<std::shared_ptr<Query>> FindSame(const std::string& session, const std::string& id,
                                                const std::string& bytes);
  // kUnknownQuery if there is none.
  base::Result<std::shared_ptr<Query>> Find(const std::string& session, const std::string& id);
  void Forget(const std::string& session, const Query& query);

  // Between the two a caller waits for the query. The last caller to abandon it (its client went
  // away) takes it along: it is cancelled and forgotten, in one step, so that nobody joins a query
  // that is about to be cancelled.
  base::Result<std::shared_ptr<Query>> Enter(const std::string& session, const std::string& id);
  void Leave(const std::string& session, Query* query, bool abandoned);

  // True for one caller, who then runs the query and calls End. kNodeStopping after Close for a
  // query that has not begun.
  base::Result<bool> Begin(Query* query);
  void End(Query* query, Answer answer);

  // Each cancels and forgets. Those that run end on their own, soon.
  bool Cancel(const std::string& session, const std::string& id);
  void CancelSession(const std::string& session);
  void CancelAll();

  void Reclaim(int64_t bytes) override;

  // From now on nothing is registered and nothing begins.
  void Close();
  QueryCounts counts() const;

 private:
  using Key = std::pair<std::string, std::string>;  // session, id

  base::Result<std::shared_ptr<Query>> FindLocked(const std::string& session,
                                                  const std::string& id);
  base::Result<std::shared_ptr<Query>> FindSameLocked(const Key& key, const std::string& bytes);
  void ForgetLocked(const std::string& session, const Query& query);
  void BoundIdleLocked(const std::string& session);

  memory::MemoryBudget* const budget_;
  mutable std::mutex mutex_;
  std::map<Key, std::shared_ptr<Query>> queries_;
  std::map<std::string, std::vector<std::weak_ptr<Query>>> idle_;  // by session, oldest first
  QueryCounts counts_;
  int64_t next_id_ = 1;
  bool closed_ = false;
};

}  // namespace shadowvm::node
