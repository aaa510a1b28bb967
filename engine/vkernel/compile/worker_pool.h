// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/vkernel/compile/compiler.h"
#include "engine/vkernel/compile/worker_process.h"

namespace shadowvm::vkernel {

struct WorkerPoolOptions {
  WorkerSpec worker;
  HeaderSet headers;
  int workers = 2;
  std::chrono::milliseconds timeout{10'000};  // of one compile, start of the worker included
};

// A compiler in a pool of worker processes: a crash or a hang costs one worker, which is replaced.
// Workers start when they are first needed, or ahead with Prewarm; an idle one sleeps in a read.
// Thread-safe.
class WorkerPool {
 public:
  explicit WorkerPool(WorkerPoolOptions options);
  ~WorkerPool();

  base::Result<CompiledObject> Compile(const CompileRequest& request);

  // From now on kernels are linked with this object, which was compiled as OptLevel::kLibrary.
  void UseLibrary(std::string object);

  // Starts all workers in the background and returns at once. Their failures show up in Compile.
  void Prewarm();

  // The workers that are running now.
  std::vector<pid_t> worker_pids() const;

 private:
  using Worker = std::unique_ptr<WorkerProcess>;

  base::Result<CompiledObject> CompileOn(WorkerProcess* worker, const CompileRequest& request,
                                         WorkerProcess::TimePoint deadline);
  // An idle worker, or a new one; waits while all are busy.
  base::Result<Worker> Take(WorkerProcess::TimePoint deadline);
  base::Result<Worker> StartCounted(WorkerProcess::TimePoint deadline);
  // Gives back a worker, or a dead one's place (null).
  void GiveBack(Worker worker);
  void StartAll();

  const WorkerPoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<Worker> idle_;
  std::vector<pid_t> pids_;
  int num_workers_ = 0;  // idle, busy and being started
  std::shared_ptr<const std::string> library_;
  std::thread prewarming_;
};

}  // namespace shadowvm::vkernel
