// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/device/cpu_device.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "engine/base/wait_awake.h"

namespace shadowvm::device {
namespace {

// How long who has called Run waits for workers on its core: most are about to be done, and waking
// up takes longer.
constexpr std::chrono::microseconds kAwake{100};

base::Result<bool> CallStep(const Step& step, int worker) {
  try {
    return step(worker);
  } catch (const std::bad_alloc&) {
    return base::MakeError(base::ErrorCode::kOutOfMemory, "the machine has no more memory");
  } catch (const std::exception& error) {
    return base::MakeError(base::ErrorCode::kInternal, std::string("in a worker: ") + error.what());
  }
}

// All steps of a run that has no other worker.
base::Status CallAll(const Step& step) {
  for (;;) {
    SVM_ASSIGN_OR_RETURN(const bool more, CallStep(step, 0));
    if (!more) return base::Status::OK();
  }
}

}  // namespace

// Guarded by mutex_, but for 'step', which does not change. Atomics may be read without.
struct CpuDevice::ActiveRun {
  const Step& step;
  int max_workers;
  std::atomic<int> in_flight{0};  // workers that are at it
  std::atomic<bool> open{true};   // may have more steps
  base::Status status;
};

CpuDevice::CpuDevice(int num_workers) : num_workers_(std::max(1, num_workers)) {
  threads_.reserve(num_workers_ - 1);
  for (int worker = 1; worker < num_workers_; ++worker) {
    threads_.emplace_back([this, worker] { WorkerLoop(worker); });
  }
}

CpuDevice::~CpuDevice() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

base::Status CpuDevice::Run(const Step& step, int max_workers) {
  max_workers = std::min(max_workers, num_workers_);
  if (max_workers <= 1) return CallAll(step);
  ActiveRun run{step, max_workers, 0, true, base::Status::OK()};
  {
    std::lock_guard lock(mutex_);
    runs_.push_back(&run);
    CountRuns();
  }
  work_ready_.notify_all();
  CallerLoop(&run);
  return std::move(run.status);
}

void CpuDevice::CallerLoop(ActiveRun* run) {
  std::unique_lock lock(mutex_);
  while (run->open) {
    ++run->in_flight;
    lock.unlock();
    base::Result<bool> outcome = CallSteps(*run, 0);
    lock.lock();
    Finish(run, std::move(outcome));
  }
  AwaitOthers(*run, &lock);
}

void CpuDevice::AwaitOthers(const ActiveRun& run, std::unique_lock<std::mutex>* lock) {
  const auto is_done = [&] { return run.in_flight.load() == 0; };
  lock->unlock();
  base::WaitAwake(kAwake, is_done);
  // The last one is to let go of the run, too.
  lock->lock();
  step_done_.wait(*lock, is_done);
}

void CpuDevice::WorkerLoop(int worker) {
  std::unique_lock lock(mutex_);
  while (true) {
    ActiveRun* run = nullptr;
    work_ready_.wait(lock, [&] { return stopping_ || (run = PickRun(worker)) != nullptr; });
    if (run == nullptr) return;
    ++run->in_flight;
    lock.unlock();
    base::Result<bool> outcome = CallSteps(*run, worker);
    lock.lock();
    Finish(run, std::move(outcome));
  }
}

base::Result<bool> CpuDevice::CallSteps(const ActiveRun& run, int worker) const {
  for (;;) {
    base::Result<bool> outcome = CallStep(run.step, worker);
    const bool more = outcome.ok() && *outcome && run.open.load(std::memory_order_relaxed);
    if (!more || num_runs_.load(std::memory_order_relaxed) > 1) return outcome;
  }
}

CpuDevice::ActiveRun* CpuDevice::PickRun(int worker) {
  for (size_t i = 0; i < runs_.size(); ++i) {
    ActiveRun* run = runs_[turn_++ % runs_.size()];
    if (worker < run->max_workers) return run;
  }
  return nullptr;
}

void CpuDevice::Finish(ActiveRun* run, base::Result<bool> outcome) {
  --run->in_flight;
  if (!outcome.ok() && run->status.ok()) run->status = outcome.status();
  if (run->open && (!outcome.ok() || !*outcome)) {
    run->open = false;
    std::erase(runs_, run);
    CountRuns();
  }
  // A closed run may be waited for; the caller of an open one is working.
  if (!run->open && run->in_flight == 0) step_done_.notify_all();
}

}  // namespace shadowvm::device
