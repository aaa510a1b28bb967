// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <functional>

#include "engine/base/status.h"
#include "engine/exec/gpu/apart_sink.h"
#include "engine/kernels/common/abi.h"
#include "engine/schedule/partition_queue.h"

namespace shadowvm::exec {

// What becomes of rows that cores and a card work on at the same time. Cores work unit by unit, the
// card batch by batch. What cores find in units that the card is at, too, is theirs for a contest,
// of which it is known in the end who has won it.
class MixedSink {
 public:
  virtual ~MixedSink() = default;

  // Points a worker's call at where it leaves what it finds; -1: for no contest. Each worker for
  // itself.
  virtual base::Status Bind(int worker, int64_t contest, kernels::KernelCall* call) = 0;
  // The worker is done with a unit.
  virtual void NoteUnit(int /*worker*/, int64_t /*contest*/, const schedule::Partition& /*unit*/) {}
  // Why there was no room for what a worker has just found, if that is so.
  virtual base::Status StatusOf(int /*worker*/) const { return base::Status::OK(); }

  // The card's part of it.
  virtual ApartSink* card() = 0;
  // Adds what that has taken in last, of a batch that begins with a unit. By the one who serves the
  // card.
  virtual base::Status AddBatch(const schedule::Partition& first) = 0;

  // Adds what was found for contests that were won. Once, when nobody works any more.
  using Won = std::function<bool(int64_t contest)>;
  virtual void AddContests(const Won& won) = 0;
};

}  // namespace shadowvm::exec
