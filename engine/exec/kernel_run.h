// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/exec/kernel_binding.h"
#include "engine/exec/step_order.h"
#include "engine/schedule/partition_queue.h"

namespace shadowvm::exec {

// Adds a segment to what a query has read, all of its rows.
void CountSegment(const columns::Segment& segment, QueryStats* stats);

// Runs a pipeline's kernel over the partitions of its source.
class KernelRun {
 public:
  // 'kernel' may swap its entry for better code between partitions. Null: it is looked for by its
  // text when rows are to be run, which is never where another device runs them. The text outlives
  // this.
  KernelRun(const QueryContext& context, const vkernel::KernelText& text,
            std::shared_ptr<vkernel::KernelSlot> kernel, PipelineBinding* binding);

  // Makes ready to run rows: finds the kernel and estimates its steps. Run and MeasureSteps see to
  // it themselves; before RunOne.
  base::Status Prepare();

  // Points a worker's call at its part of the sink's state. Called once per worker, by that worker.
  using BindSink = std::function<base::Status(int worker, kernels::KernelCall* call)>;
  // Called after each partition, by the worker that ran it; true: the sink has all it wants.
  using AfterPartition = std::function<bool(int worker, const schedule::Partition& partition)>;
  base::Status Run(const BindSink& bind_sink, const AfterPartition& after_partition = {});
  // Runs one partition, into the sink that the call is pointed at now, and counts nothing: for who
  // hands partitions out by other rules. One at a time for a worker.
  base::Status RunOne(int worker, const schedule::Partition& partition, const BindSink& bind_sink);
  // What there is to run, but for segments that cannot hold rows that pass. Once a run.
  std::vector<schedule::SegmentWork> SegmentsToRun();
  // Whether not all of that was in memory; false before.
  bool reads_files() const { return reads_files_; }
  // The rows of a partition of a resident segment: as the run's options say, or else 'usual'.
  int64_t RowsPerPartition(const std::vector<schedule::SegmentWork>& work, int64_t usual) const;
  // Measures the steps on the first rows that may pass, and runs nothing: for who runs the pipeline
  // elsewhere.
  base::Result<MeasuredSteps> MeasureSteps();
  // What strings that the kernels let out may point into.
  std::vector<Keeper> keepers() const;

 private:
  base::Status RunPartition(int worker, const schedule::Partition& partition,
                            const BindSink& bind_sink);
  base::Result<WorkerCall*> CallOf(int worker, const BindSink& bind_sink);
  void Count(const columns::Segment& segment, const schedule::Partition& partition);
  base::Status RunRows(WorkerCall* call, int64_t row_begin, int64_t row_end);
  // Measures each step on the first rows seen and orders the steps by what was found. Once a run.
  void Measure(WorkerCall* call, const schedule::Partition& partition);
  double MeasureStep(WorkerCall* call, uint8_t step, uint32_t row_begin, uint32_t row_end);

  using Order = std::vector<uint8_t>;
  // And the order of steps that follows from them.
  void SetEstimates(std::vector<StepEstimate> estimates);

  const QueryContext& context_;
  const vkernel::KernelText& text_;
  std::shared_ptr<vkernel::KernelSlot> kernel_;
  PipelineBinding& binding_;
  std::vector<StepEstimate> estimates_;
  std::mutex mutex_;
  // Guarded. All of them are kept: workers may be at any.
  std::vector<std::unique_ptr<const Order>> orders_;
  std::atomic<const Order*> order_{nullptr};  // the last one; null: not prepared
  std::atomic<bool> measured_{false};
  std::vector<std::unique_ptr<WorkerCall>> calls_;
  bool reads_files_ = false;
};

}  // namespace shadowvm::exec
