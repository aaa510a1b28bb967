// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/exec/gpu/gpu_run.h"
#include "engine/exec/kernel_run.h"
#include "engine/exec/mixed_sink.h"
#include "engine/schedule/mixed_schedule.h"
#include "engine/schedule/partition_queue.h"
#include "engine/schedule/spin_lock.h"
#include "engine/schedule/trace.h"

namespace shadowvm::exec {

// A pipeline as both sides see it.
struct MixedPipeline {
  KernelRun* run = nullptr;
  const PipelineBinding* binding = nullptr;
  MixedSink* sink = nullptr;
  KnownSteps* steps = nullptr;
  // The card's kernel; null while it is being made, which is asked for again and again.
  std::function<base::Result<std::shared_ptr<const device::Program>>()> program;
};

struct MixedSettings {
  schedule::PolicyChoice policy;
  schedule::BySide<double> remembered;  // rows a millisecond and lane; 0: nothing
};

// One run of a pipeline on cores and on a card at the same time. Workers take units; worker 0
// serves the card, too: it hands it batches, takes their results, and does a unit while the card
// has enough to do. What cores find in rows that the card is at is apart from all else until it is
// known who was first. What the card does not do cores do, so a card that fails costs time and
// nothing else; and one that is late is not waited for, but left behind with what it is at.
class MixedRun {
 public:
  // Of a batch.
  static constexpr int64_t kMostBatchRows = int64_t{32} << 20;

  MixedRun(const QueryContext& context, MixedPipeline pipeline, const MixedSettings& settings);
  ~MixedRun();

  // Brings all of the source's rows to the sink. Once.
  base::Status Run();

  // After Run.
  schedule::Trace trace() const;
  schedule::BySide<int64_t> rows() const;
  int64_t num_units() const { return std::ssize(units_); }
  int64_t units_again() const { return schedule_->units_again(); }
  // Measured in this run; 0: a side did nothing.
  schedule::BySide<double> rows_per_ms() const;
  const GpuTimes& gpu_times() const { return gpu_times_; }
  // Why the card stopped taking part, or never came to; empty: it took part until the end.
  const std::string& why_not_gpu() const { return why_not_gpu_; }

 private:
  struct Batch {
    schedule::Grant grant;
    int area = 0;  // of GpuRun
  };

  base::Result<bool> Step(int worker);
  // What the list has for this worker, if anything. False: all is done.
  base::Result<bool> CpuStep(int worker);
  schedule::Grant Take(schedule::Side side, int worker);
  schedule::Verdict Finish(const schedule::Grant& grant);
  bool GoesOn() const { return !over_.load(std::memory_order_acquire); }
  void AwaitWork(int worker);
  base::Status RunUnit(int worker, const schedule::Grant& grant);

  base::Result<bool> ServeCard();
  // With the kernel, if it is there by now.
  base::Status StartCard();
  // Takes what is finished and hands out what is next. True: something happened.
  base::Result<bool> Pump();
  // The same, and gives the card up if it fails.
  bool TryPump();
  // Whether there are units that nobody has begun.
  bool HasWaiting();
  bool CardIsProvided();
  base::Status Launch(const schedule::Grant& grant);
  // False: the sink has no room for it, and wants to begin anew with more.
  base::Result<bool> Collect(const Batch& batch);
  // Begins anew with the card: what it is at cores do.
  void RestartCard();
  void LoseCard(const base::Status& why);
  void FailBatches();
  // What it is still at is of no use to anyone, and is not waited for.
  void EndCard();

  double Now() const;
  int64_t RowsOf(schedule::UnitRange units) const;
  // What is still in memory, with its bytes: to read the rest again would be work for nothing, and
  // could fail.
  void CountWork();
  base::Status ReadSegments();

  const QueryContext& context_;
  const MixedPipeline pipeline_;
  const bool alone_;  // there is one worker, which does all
  std::vector<schedule::Partition> units_;
  std::vector<schedule::SegmentWork> work_;
  std::vector<SegmentPtr> segments_;  // of work_, once somebody wanted them
  std::vector<int> places_;           // of the table's segments in work_
  int64_t num_rows_ = 0;
  const std::chrono::steady_clock::time_point start_;

  schedule::SpinLock schedule_lock_;
  std::unique_ptr<schedule::MixedSchedule> schedule_;  // guarded
  std::atomic<bool> over_{false};                      // all is done, or some step failed
  std::vector<int> refused_;  // by worker: times in a row that there was nothing for it

  // Worker 0's.
  std::unique_ptr<GpuRun> card_;
  std::shared_ptr<const device::Program> program_;
  std::deque<Batch> in_flight_;
  bool lost_card_ = false;
  std::string why_not_gpu_ = "cores were done before the GPU had begun";
  base::Status added_;  // not the card's error, so nobody else may try
  GpuTimes gpu_times_;
  double ended_ = 0;
};

}  // namespace shadowvm::exec
