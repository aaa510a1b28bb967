// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/node/query_registry.h"

#include <utility>

namespace shadowvm::node {
namespace {

base::Status Stopping() {
  return base::MakeError(base::ErrorCode::kNodeStopping, "it takes no further queries");
}

}  // namespace

base::Result<std::shared_ptr<Query>> QueryRegistry::Add(const std::string& session,
                                                        const std::string& id,
                                                        CheckedCommand command) {
  std::lock_guard lock(mutex_);
  if (closed_) return Stopping();
  const std::string name = id.empty() ? "node-" + std::to_string(next_id_++) : id;
  std::shared_ptr<Query>& query = queries_[{session, name}];
  if (query == nullptr) {
    query = std::make_shared<Query>(name, std::move(command), budget_);
  } else if (query->command().bytes != command.bytes) {
    return base::MakeError(base::ErrorCode::kBadCommand,
                           "query id '" + name + "' stands for another command of this session");
  }
  return query;
}

base::Result<std::shared_ptr<Query>> QueryRegistry::Find(const std::string& session,
                                                         const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto found = queries_.find({session, id});
  if (found != queries_.end()) return found->second;
  return base::MakeError(base::ErrorCode::kUnknownQuery,
                         "'" + id + "' was never registered, or is fetched or cancelled");
}

void QueryRegistry::Forget(const std::string& session, const Query& query) {
  std::lock_guard lock(mutex_);
  const auto found = queries_.find({session, query.id()});
  // The id may have been given to another query since.
  if (found != queries_.end() && found->second.get() == &query) queries_.erase(found);
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
  const base::Status status = query->Finish(std::move(answer)).status();
  std::lock_guard lock(mutex_);
  --counts_.running;
  const bool cancelled = !status.ok() && base::CodeOf(status) == base::ErrorCode::kCancelled;
  ++(status.ok() ? counts_.done : cancelled ? counts_.cancelled : counts_.failed);
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
}

void QueryRegistry::CancelAll() {
  std::lock_guard lock(mutex_);
  for (const auto& [key, query] : queries_) query->cancel().Cancel();
  queries_.clear();
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
