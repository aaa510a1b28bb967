// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

#include "engine/base/status.h"
#include "engine/memory/budget.h"
#include "engine/schedule/cancel_token.h"

namespace shadowvm::node {

// Says when a query may run, so that queries wait for memory that others hold instead of failing
// for want of it. What a query will need is not known before it runs; therefore a newcomer waits
// while those that run hold more than half of the budget (tables that could be dropped do not
// count), and one that ran short while others ran, or while answers of others were still being
// fetched, runs once more, alone, when that memory has come back. First come, first served.
// Thread-safe.
class Admission {
 public:
  // 'droppable' gives the bytes of the budget that queries can have when they need them.
  Admission(const memory::MemoryBudget* budget, std::function<int64_t()> droppable,
            int64_t max_waiting = 1024);

  using Run = std::function<base::Status()>;
  // Calls 'run' when there is room, and once more, alone, if it says kOutOfMemory though others
  // held memory meanwhile. kCancelled for one that is cancelled while it waits, kOutOfMemory for
  // one that finds too many waiting.
  base::Status Admit(const schedule::CancelToken& cancel, const Run& run);

  int64_t waiting() const;

 private:
  struct Waiter {
    bool alone = false;
    std::chrono::steady_clock::time_point until;  // alone: for memory to come back
  };
  base::Status Enter(const schedule::CancelToken& cancel, Waiter waiter, int64_t* company);
  // True if others ran at some time since Enter set 'company', or held memory then.
  bool Leave(int64_t company);
  // Of memory that cannot be dropped: running queries hold it, and answers that nobody has fetched
  // yet.
  bool HoldNoMoreThan(int64_t bytes) const;
  // Whether nobody holds memory that a query could want.
  bool IsFree() const;
  bool HasRoomLocked(const Waiter& waiter) const;

  const memory::MemoryBudget* const budget_;
  const std::function<int64_t()> droppable_;
  const int64_t max_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Waiter> waiting_;  // in the order they came
  int64_t running_ = 0;
  bool one_runs_alone_ = false;
  int64_t meetings_ = 0;  // grows whenever one begins beside others, or what they hold
};

}  // namespace shadowvm::node
