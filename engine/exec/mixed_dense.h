// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "engine/exec/gpu/dense_sink.h"
#include "engine/exec/mixed_sink.h"
#include "engine/exec/state/dense_groups.h"

namespace shadowvm::exec {

// Dense groups that cores and a card add to. 'groups' outlive it.
class MixedDense : public MixedSink {
 public:
  MixedDense(DenseGroups* groups, DenseSink card) : groups_(*groups), card_(std::move(card)) {}

  base::Status Bind(int worker, int64_t contest, kernels::KernelCall* call) override;
  ApartSink* card() override { return &card_; }
  base::Status AddBatch(const schedule::Partition& first) override;
  void AddContests(const Won& won) override;

  // What strings of the card's groups point into; null: nothing.
  Keeper TakeKeeper() { return card_.TakeArena(); }

 private:
  using Array = DenseGroups::Array;
  base::Result<int64_t*> SlotsFor(int worker, int64_t contest);

  DenseGroups& groups_;
  DenseSink card_;
  Array found_;  // by the card, all that counts
  std::mutex mutex_;
  std::map<int64_t, std::map<int, Array>> contests_;  // guarded: by contest and worker
};

}  // namespace shadowvm::exec
