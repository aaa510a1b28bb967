// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/mixed_hash.h"

#include <utility>

namespace shadowvm::exec {

WorkerGroups* MixedHash::GroupsFor(int worker, int64_t contest) {
  if (contest < 0) return groups_.worker(worker);
  std::lock_guard lock(mutex_);
  GroupsPtr& groups = contests_[contest][worker];
  if (groups == nullptr) groups = groups_.MakeGroups();
  return groups.get();
}

base::Status MixedHash::Bind(int worker, int64_t contest, kernels::KernelCall* call) {
  WorkerGroups* const groups = GroupsFor(worker, contest);
  bound_[static_cast<size_t>(worker)] = groups;
  call->groups = groups;
  return base::Status::OK();
}

base::Status MixedHash::StatusOf(int worker) const {
  const WorkerGroups* const groups = bound_[static_cast<size_t>(worker)];
  return groups == nullptr ? base::Status::OK() : groups->status();
}

base::Status MixedHash::AddBatch(const schedule::Partition&) {
  HashSink::Found found = card_.TakeFound();
  if (found.count == 0) return base::Status::OK();
  if (found_ == nullptr) found_ = groups_.MakeGroups();
  return groups_.MergeRows(found.rows->as<int64_t>(), found.count, found_.get());
}

void MixedHash::AddContests(const Won& won) {
  if (found_ != nullptr) groups_.AddGroups(std::move(found_));
  for (auto& [contest, by_worker] : contests_) {
    if (!won(contest)) continue;
    for (auto& [worker, groups] : by_worker) groups_.AddGroups(std::move(groups));
  }
}

}  // namespace shadowvm::exec
