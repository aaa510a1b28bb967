// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/exec/gpu/gpu.h"

namespace shadowvm::exec {

// An engine's GPU over time: opened in the background, set aside when it fails, opened again later.
// Queries take it as it is; without it they run on the CPU. Thread-safe.
class GpuKeeper {
 public:
  // Begins to open it. With kind kNone there is never one. The budget outlives this (Gpu::Open).
  GpuKeeper(GpuOptions options, memory::MemoryBudget* budget);
  ~GpuKeeper();
  GpuKeeper(const GpuKeeper&) = delete;
  GpuKeeper& operator=(const GpuKeeper&) = delete;

  // The GPU, to be held as long as it is used; or null, and why if there should be one. With 'wait'
  // it waits for one that is being opened.
  std::shared_ptr<Gpu> Take(bool wait, std::string* why_none = nullptr);
  // The same, waiting; the reason why there is none. For who cannot do without.
  base::Result<std::shared_ptr<Gpu>> Require();

  // Gives it up, with all it holds, unless queries use it; the next one who asks has it opened
  // anew.
  void Close();
  // The same, and from now on it is opened with other options.
  void Reopen(GpuOptions options);

  struct State {
    bool wanted = false;       // the kind is not kNone
    std::string down;          // why there is none now; empty: there is one
    int64_t retry_ms = 0;      // when down: how long until it is tried again
    int64_t failures = 0;      // so far, of opening and of running
    std::shared_ptr<Gpu> gpu;  // null when down
  };
  State state();
  // Whether there ever was one.
  bool was_up();

 private:
  using Clock = std::chrono::steady_clock;

  // Opens it on a thread of its own, if it is time.
  void TendLocked(Clock::time_point now);
  void Open();
  // False while queries still hold the one that failed, or end it: a card's driver starts anew when
  // all are gone.
  bool DropFailed();
  // One that says in gone_ when it is.
  std::shared_ptr<Gpu> Share(std::unique_ptr<Gpu> gpu);
  bool WasUpLocked() const { return up_since_ != Clock::time_point{}; }
  // One warning, unless it was the last one, or is of one that is required and was never up; and a
  // longer wait each time in a row.
  void SetDownLocked(const base::Status& why);
  void OnFailure(const base::Status& why);

  memory::MemoryBudget* const budget_;
  std::mutex mutex_;
  GpuOptions options_;
  std::condition_variable opened_;
  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<Gpu> failed_;
  // Whether the last one that was opened has ended. That nobody holds it does not say so: who let
  // go of it last may be about to end it.
  std::shared_ptr<const std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(true);
  bool opening_ = false;
  std::string down_;
  base::Status failure_;   // why it is down, if it failed
  std::string warned_of_;  // the last failure, until a query has ended well there
  int64_t failures_ = 0;
  std::chrono::milliseconds retry_after_;
  Clock::time_point up_since_;
  Clock::time_point retry_at_;
  std::thread opener_;
};

}  // namespace shadowvm::exec
