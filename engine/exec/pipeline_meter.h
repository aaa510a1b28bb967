// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <algorithm>
#include <chrono>
#include <iterator>

#include "engine/exec/query_context.h"

namespace shadowvm::exec {

// What one pipeline adds to its query's counters, from the construction on. Pipelines of a query
// run one after the other, so the difference is the pipeline's own.
class PipelineMeter {
 public:
  explicit PipelineMeter(const QueryStats& stats)
      : stats_(stats),
        begin_(Clock::now()),
        rows_(stats.rows_read),
        run_(stats.segments_run),
        skipped_(stats.segments_skipped),
        partitions_(stats.partitions),
        num_meant_for_gpu_(stats.gpu.size()),
        num_placed_(stats.devices.size()),
        num_sorts_(stats.sorts.size()) {}

  PipelineStats Read(int index, int64_t rows_out) const {
    const std::chrono::duration<double, std::milli> time = Clock::now() - begin_;
    PipelineStats read{index,
                       stats_.rows_read - rows_,
                       rows_out,
                       time.count(),
                       stats_.segments_run - run_,
                       stats_.segments_skipped - skipped_,
                       stats_.partitions - partitions_};
    if (stats_.devices.size() > num_placed_) {
      const PipelineDevices& placed = stats_.devices.back();
      read.rows_on_gpu = placed.rows[schedule::Side::kGpu];
      read.mode = placed.mode;
      read.predicted_ms = placed.predicted_ms;
      read.real_ms = placed.real_ms;
      read.reason = placed.reason;
    }
    if (stats_.gpu.size() > num_meant_for_gpu_) {
      const GpuPipeline& there = stats_.gpu.back();
      read.kernel_ms = there.times.kernel_ms;
      read.link_bytes = there.times.link_bytes;
      read.why_not_gpu = there.why_not;
    }
    if (stats_.sorts.size() > num_sorts_) read.sort = stats_.sorts.back();
    // Tables may have been filled before, when it was planned.
    std::copy_if(stats_.fills.begin(), stats_.fills.end(), std::back_inserter(read.fills),
                 [&](const FillDevices& fill) { return fill.pipeline == index; });
    return read;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const QueryStats& stats_;
  const Clock::time_point begin_;
  const int64_t rows_;
  const int64_t run_;
  const int64_t skipped_;
  const int64_t partitions_;
  const size_t num_meant_for_gpu_;
  const size_t num_placed_;
  const size_t num_sorts_;
};

}  // namespace shadowvm::exec
