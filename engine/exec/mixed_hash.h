// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/exec/gpu/hash_sink.h"
#include "engine/exec/mixed_sink.h"
#include "engine/exec/state/hash_groups.h"

namespace shadowvm::exec {

// Groups by hash that cores and a card add to. Both outlive it.
class MixedHash : public MixedSink {
 public:
  MixedHash(HashGroups* groups, HashSink* card, int num_workers)
      : groups_(*groups), card_(*card), bound_(static_cast<size_t>(num_workers)) {}

  base::Status Bind(int worker, int64_t contest, kernels::KernelCall* call) override;
  base::Status StatusOf(int worker) const override;
  ApartSink* card() override { return &card_; }
  base::Status AddBatch(const schedule::Partition& first) override;
  void AddContests(const Won& won) override;

 private:
  using GroupsPtr = std::unique_ptr<WorkerGroups>;
  WorkerGroups* GroupsFor(int worker, int64_t contest);

  HashGroups& groups_;
  HashSink& card_;
  std::vector<const WorkerGroups*> bound_;  // by worker: those that it adds to now
  GroupsPtr found_;                         // by the card, all that counts
  std::mutex mutex_;
  std::map<int64_t, std::map<int, GroupsPtr>> contests_;  // guarded: by contest and worker
};

}  // namespace shadowvm::exec
