// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/device/device.h"

namespace shadowvm::device {

// CPU cores. A thread that calls Run works on its own run as worker 0; the other workers are
// threads started once, which take a step of each active run in turn. So a run of one worker costs
// no hand-over, a nested run can't wait for itself, and a short query does not stand behind a long
// one.
class CpuDevice : public Device {
 public:
  // num_workers >= 1, callers included: num_workers - 1 threads are started.
  explicit CpuDevice(int num_workers);
  ~CpuDevice() override;  // no run may be active
  CpuDevice(const CpuDevice&) = delete;
  CpuDevice& operator=(const CpuDevice&) = delete;

  std::string_view name() const override { return "cpu"; }
  int num_workers() const override { return num_workers_; }
  base::Status Run(const Step& step, int max_workers) override;

 private:
  struct ActiveRun;

  void WorkerLoop(int worker);
  ActiveRun* PickRun(int worker);
  void CallerLoop(ActiveRun* run);
  // Returns when no worker is at a run without more steps, with the lock as it was.
  void AwaitOthers(const ActiveRun& run, std::unique_lock<std::mutex>* lock);
  // Steps of one run, until it ends or another run wants its turn: who is alone takes no lock
  // between two steps, which many workers with short steps would wait for.
  base::Result<bool> CallSteps(const ActiveRun& run, int worker) const;
  void Finish(ActiveRun* run, base::Result<bool> outcome);
  // With mutex_ held, after runs_ has changed.
  void CountRuns() { num_runs_.store(runs_.size(), std::memory_order_relaxed); }

  const int num_workers_;
  std::mutex mutex_;
  std::condition_variable work_ready_;
  std::condition_variable step_done_;
  std::vector<ActiveRun*> runs_;  // those that may have more steps
  std::atomic<size_t> num_runs_{0};
  size_t turn_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace shadowvm::device
