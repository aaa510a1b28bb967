// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/query_registry.h"

#include <utility>
#include <vector>

namespace shadowvm::node {
namespace {

base::Status Stopping() {
  return base::MakeError(base::ErrorCode::kNodeStopping, "it takes no further queries");
}

}  // namespace

QueryRegistry::QueryRegistry(memory::MemoryBudget* budget) : budget_(budget) {
  budget_->AddReclaimer(this);
}

QueryRegistry::~QueryRegistry() { budget_->RemoveReclaimer(this); }

base::Result<std::shared_ptr<Query>> QueryRegistry::FindSameLocked(const Key& key,
                                                                   const std::string& bytes) {
  const auto found = queries_.find(key);
  if (found == queries_.end()) return nullptr;
  if (found->second->command().bytes == bytes) return found->second;
  return base::MakeError(
      base::ErrorCode::kBadCommand,
      "query id '" + key.second + "' stands for another command of this session");
}

base::Result<std::shared_ptr<Query>> QueryRegistry::FindSame(const std::string& session,
                                                             const std::string& id,
                                                             const std::string& bytes) {
  std::lock_guard lock(mutex_);
  return FindSameLocked({session, id}, bytes);
}

base::Result<std::shared_ptr<Query>> QueryRegistry::Add(const std::string& session,
                                                        const std::string& id,
                                                        CheckedCommand command) {
  std::lock_guard lock(mutex_);
  if (closed_) return Stopping();
  const Key key(session, id.empty() ? "node-" + std::to_string(next_id_++) : id);
  SVM_ASSIGN_OR_RETURN(auto query, FindSameLocked(key, command.bytes));
  if (query != nullptr) return query;
  query = std::make_shared<Query>(key.second, std::move(command), budget_);
  queries_[key] = query;
  idle_[session].push_back(query);
  BoundIdleLocked(session);
  return query;
}

void QueryRegistry::BoundIdleLocked(const std::string& session) {
  std::vector<std::weak_ptr<Query>>& idle = idle_[session];
  std::erase_if(idle, [](const std::weak_ptr<Query>& registered) {
    const auto query = registered.lock();
    return query == nullptr || !query->is_idle();
  });
  if (idle.size() <= kMostIdle) return;
  if (const auto oldest = idle.front().lock()) ForgetLocked(session, *oldest);
  idle.erase(idle.begin());
}

base::Result<std::shared_ptr<Query>> QueryRegistry::FindLocked(const std::string& session,
                                                               const std::string& id) {
  const auto found = queries_.find({session, id});
  if (found != queries_.end()) return found->second;
  return base::MakeError(base::ErrorCode::kUnknownQuery,
                         "'" + id + "' was never registered, or is fetched or cancelled");
}

base::Result<std::shared_ptr<Query>> QueryRegistry::Find(const std::string& session,
                                                         const std::string& id) {
  std::lock_guard lock(mutex_);
  return FindLocked(session, id);
}

void QueryRegistry::ForgetLocked(const std::string& session, const Query& query) {
  const auto found = queries_.find({session, query.id()});
  // The id may have been given to another query since.
  if (found != queries_.end() && found->second.get() == &query) queries_.erase(found);
}

void QueryRegistry::Forget(const std::string& session, const Query& query) {
  std::lock_guard lock(mutex_);
  ForgetLocked(session, query);
}

base::Result<std::shared_ptr<Query>> QueryRegistry::Enter(const std::string& session,
                                                          const std::string& id) {
  std::lock_guard lock(mutex_);
  SVM_ASSIGN_OR_RETURN(auto query, FindLocked(session, id));
  query->Enter();
  return query;
}

void QueryRegistry::Leave(const std::string& session, Query* query, bool abandoned) {
  std::lock_guard lock(mutex_);
  if (query->Leave(abandoned)) ForgetLocked(session, *query);
}

base::Result<bool> QueryRegistry::Begin(Query* query) {
  std::lock_guard lock(mutex_);
  if (!query->Begin()) return false;
  if (closed_) {
    query->Finish(Stopping());  // whoever else waits for it hears the same
    return Stopping();
  }
  ++counts_.running;
  return true;
}

void QueryRegistry::End(Query* query, Answer answer) {
  const base::Status& status = answer.status();
  {
    // Before those who wait hear of it, who may ask for the counts next.
    std::lock_guard lock(mutex_);
    --counts_.running;
    const bool cancelled = !status.ok() && base::CodeOf(status) == base::ErrorCode::kCancelled;
    ++(status.ok() ? counts_.done : cancelled ? counts_.cancelled : counts_.failed);
  }
  query->Finish(std::move(answer));
}

bool QueryRegistry::Cancel(const std::string& session, const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto found = queries_.find({session, id});
  if (found == queries_.end()) return false;
  found->second->cancel().Cancel();
  queries_.erase(found);
  return true;
}

void QueryRegistry::CancelSession(const std::string& session) {
  std::lock_guard lock(mutex_);
  auto query = queries_.lower_bound({session, ""});
  while (query != queries_.end() && query->first.first == session) {
    query->second->cancel().Cancel();
    query = queries_.erase(query);
  }
  idle_.erase(session);
}

void QueryRegistry::CancelAll() {
  std::lock_guard lock(mutex_);
  for (const auto& [key, query] : queries_) query->cancel().Cancel();
  queries_.clear();
  idle_.clear();
}

void QueryRegistry::Reclaim(int64_t bytes) {
  std::vector<std::shared_ptr<Query>> dropped;  // they end outside the lock
  std::lock_guard lock(mutex_);
  for (auto query = queries_.begin(); query != queries_.end() && bytes > 0;) {
    const int64_t unwanted = query->second->unwanted_bytes();
    bytes -= unwanted;
    if (unwanted > 0) dropped.push_back(query->second);
    query = unwanted > 0 ? queries_.erase(query) : std::next(query);
  }
}

void QueryRegistry::Close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
}

QueryCounts QueryRegistry::counts() const {
  std::lock_guard lock(mutex_);
  QueryCounts counts = counts_;
  counts.kept = static_cast<int64_t>(queries_.size());
  return counts;
}

}  // namespace shadowvm::node
