// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "engine/exec/gpu/gpu.h"
#include "engine/exec/gpu/launch_call.h"
#include "engine/exec/gpu/launch_plan.h"
#include "engine/exec/gpu/launch_segments.h"
#include "engine/exec/gpu/launch_tables.h"
#include "engine/exec/query_context.h"

namespace shadowvm::exec {

// Rows of one of a run's segments.
struct GpuRows {
  int segment = 0;  // in GpuRun::segments()
  int64_t row_begin = 0;
  int64_t row_end = 0;
};

// A pipeline's kernel on a GPU, launched over parts of its source: all at once, or a part at a time
// by who gives the rest to others. Launches add to the same groups in the device's memory. One
// thread at a time; what it was made from outlives it, and it waits for the device before it goes.
class GpuRun {
 public:
  // Takes a turn on the device and brings the tables there that the kernel looks into. Fault point
  // exec.gpu.run.
  static base::Result<std::unique_ptr<GpuRun>> Begin(const QueryContext& context, Gpu* gpu,
                                                     const device::Program& program,
                                                     const PipelineBinding& binding,
                                                     const MeasuredSteps& steps,
                                                     const DenseSink& sink);
  ~GpuRun();
  GpuRun(const GpuRun&) = delete;
  GpuRun& operator=(const GpuRun&) = delete;

  // Those of the source that can hold rows that pass.
  const std::vector<SegmentPtr>& segments() const { return segments_; }

  // Queues a launch over rows of segments; does not wait, except for copies that it needs and while
  // very many launches are queued.
  base::Status Launch(std::span<const GpuRows> rows);
  // How many launches are done. Does not wait.
  base::Result<int> LaunchesDone();
  // Launches over all segments, by the way of coming by them that the GPU is set to.
  base::Status LaunchAll();
  // Waits for all launches and replaces the sink's groups by what they have become; they are as
  // they were when this fails.
  base::Status Finish();

  // After Finish.
  const GpuTimes& times() const { return times_; }

 private:
  GpuRun(const QueryContext& context, Gpu* gpu, const device::Program& program,
         const PipelineBinding& binding, const DenseSink& sink);

  base::Status WriteTables(const MeasuredSteps& steps);
  base::Status LaunchChunks();
  // The launch itself, of segments that are placed.
  base::Status Queue(LaunchSegments segments, device::Stream* stream);
  base::Result<device::DeviceAddress> NextPiece(int64_t bytes);
  base::Status Synchronize();
  // Whether kernels read more from the host's memory than from the device's.
  bool IsOverLink() const;
  std::vector<LaunchRows> RowsOf(std::span<const GpuRows> rows) const;

  const QueryContext& context_;
  Gpu& gpu_;
  const device::Program& program_;
  const PipelineBinding& binding_;
  const DenseSink& sink_;
  std::vector<SegmentPtr> segments_;
  std::vector<DictionaryPredicate::Bytes> predicates_;
  Gpu::Turn turn_;

  LaunchTables joins_;
  // What launches are told: tables that all of them look into, then a ring of pieces of their own.
  std::vector<uint8_t> tables_;
  std::vector<uint8_t> block_;  // as every launch begins
  LaunchPlan plan_;
  std::vector<double> touched_;  // by column
  device::DeviceAddress groups_ = 0, error_ = 0, ring_ = 0;
  int64_t ring_bytes_ = 0, ring_at_ = 0;

  // Until the device has been waited for.
  std::deque<std::vector<uint8_t>> pieces_;
  std::vector<DeviceCopies::CopyPtr> copies_;
  std::vector<device::Stream*> streams_;  // that were used
  int launches_before_ = 0;               // done when it was waited for last
  GpuTimes times_;
};

// A whole pipeline: the sink is as it was when this fails. Else: what it took.
base::Result<GpuTimes> RunOnGpu(const QueryContext& context, Gpu* gpu,
                                const device::Program& program, const PipelineBinding& binding,
                                const MeasuredSteps& steps, const DenseSink& sink);

}  // namespace shadowvm::exec
