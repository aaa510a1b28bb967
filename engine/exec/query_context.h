// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/span.h"
#include "engine/memory/budget.h"
#include "engine/plan/plan.h"
#include "engine/schedule/cancel_token.h"
#include "engine/schedule/device_choice.h"
#include "engine/schedule/kernel_history.h"
#include "engine/schedule/mode.h"
#include "engine/schedule/parallel.h"
#include "engine/schedule/policy.h"
#include "engine/schedule/trace.h"
#include "engine/vkernel/compile/kernel_cache.h"

namespace shadowvm::exec {

class Gpu;

// What a pipeline's launches took on a GPU.
struct GpuTimes {
  double kernel_ms = 0;      // of all launches; those of several streams overlap
  double copy_ms = 0;        // waiting for copies, beside kernels
  double run_ms = 0;         // of Stage::kRun, by the clock: from a launch to what it found
  int64_t link_bytes = 0;    // over the link: copied, or estimated where read in place
  int64_t device_bytes = 0;  // estimated: read from copies in the device's memory
  int64_t room_bytes = 0;    // where wide tiles left what they read in place
  double wait_ms = 0;        // while others had it
  double read_ms = 0;        // finding rows in the host's memory, or reading them from files

  void Add(const GpuTimes& other) {
    kernel_ms += other.kernel_ms;
    copy_ms += other.copy_ms;
    run_ms += other.run_ms;
    wait_ms += other.wait_ms;
    read_ms += other.read_ms;
    link_bytes += other.link_bytes;
    device_bytes += other.device_bytes;
    room_bytes += other.room_bytes;
  }
};

// What became of a pipeline that was meant for the GPU.
struct GpuPipeline {
  std::string title;
  std::string why_not;                      // empty: it ran there
  std::shared_ptr<const std::string> text;  // of its kernel; null: it has none
  GpuTimes times;
};

// Where a pipeline ran that might have run on a GPU.
struct PipelineDevices {
  std::string title;
  schedule::Mode mode = schedule::Mode::kCpu;  // never auto
  std::string reason;  // why there, and if the GPU failed what it said; empty: as asked for
  double predicted_ms = 0;
  double real_ms = 0;
  schedule::BySide<int64_t> rows;
  int64_t partitions = 0;        // mode mixed
  int64_t partitions_again = 0;  // begun by both sides
  schedule::Trace trace;         // mode mixed, when it is wanted
};

// Who did a part of a pipeline that has no kernel of the pipeline's own, where a GPU might have.
struct PartDevices {
  schedule::Mode mode = schedule::Mode::kCpu;  // cpu or gpu
  int64_t rows = 0;                            // 0: there was nothing to do
  std::string reason;  // why there, and if the GPU failed what it said; empty: as asked for
  double predicted_ms = 0;
  double real_ms = 0;
  GpuTimes times;
};

// Finding the order of a pipeline's rows.
struct SortDevices : PartDevices {};

// Entering the rows of a build side into a table by hash.
struct FillDevices : PartDevices {
  std::string build;  // the table that they came from
  int pipeline = 0;   // that probes it
  int step = 0;       // of that pipeline
};

// What one query did, beside its answer.
struct QueryStats {
  base::Spans spans;
  std::atomic<int64_t> bytes_read{0};  // of segments that kernels saw
  std::atomic<int64_t> rows_read{0};   // by kernels
  std::atomic<int64_t> segments_run{0};
  std::atomic<int64_t> segments_skipped{0};  // by zones
  std::atomic<int64_t> partitions{0};        // that pipelines were cut into
  std::atomic<int64_t> rows{0};              // of the answer
  // That it ran, in the order of its pipelines.
  std::vector<std::shared_ptr<const vkernel::KernelText>> kernels;
  std::vector<GpuPipeline> gpu;          // of pipelines that were meant for it
  std::vector<PipelineDevices> devices;  // of pipelines with kernels, where there should be a GPU
  std::vector<SortDevices> sorts;        // where there is a GPU
  std::vector<FillDevices> fills;        // likewise
};

// What one pipeline of a query did.
struct PipelineStats {
  int index = 0;
  int64_t rows_in = 0;  // that its kernel read; none where it only rearranges rows
  int64_t rows_out = 0;
  double milliseconds = 0;  // by the clock
  int64_t segments_run = 0;
  int64_t segments_skipped = 0;
  int64_t partitions = 0;
  int64_t rows_on_gpu = 0;       // of rows_in
  double kernel_ms = 0;          // on the GPU
  std::string why_not_gpu = {};  // of one that was meant for it
  int64_t link_bytes = 0;        // to the GPU (GpuTimes)
  // As in PipelineDevices; auto: it had no choice.
  schedule::Mode mode = schedule::Mode::kAuto;
  double predicted_ms = 0;
  double real_ms = 0;
  std::string reason = {};
  SortDevices sort = {};
  std::vector<FillDevices> fills = {};
};

// What a run is told, and whom it tells. 'cancel' and 'stats' may be null.
struct RunOptions {
  const schedule::CancelToken* cancel = nullptr;
  QueryStats* stats = nullptr;
  // That a pipeline's source is cut into, as long as one holds no more than a segment; 0: of a size
  // that suits the CPU.
  int64_t partitions = 0;
  schedule::Mode mode = schedule::Mode::kAuto;
  bool wait_for_gpu = false;           // and for its kernels, in modes auto and mixed too
  schedule::PolicyChoice policy = {};  // mode mixed
  bool trace = false;                  // mode mixed: who took which partition when
  // The plan was made, or taken from the cache, for this run: its tables need not be opened anew.
  bool just_planned = false;
  // Called at the barrier of each pipeline, in their order, by the thread that runs the query. A
  // query that starts over passes the same barriers again.
  std::function<void(const PipelineStats&)> on_barrier = {};
};

// What every part of a running query needs. Owned by the engine and by the query; outlives the
// query's pipelines.
struct QueryContext {
  memory::MemoryBudget* budget = nullptr;
  schedule::Workers workers;
  vkernel::KernelCache* kernels = nullptr;
  Gpu* gpu = nullptr;  // null: there is none, or the mode is cpu
  std::string no_gpu;  // why there is none where there should be one
  schedule::KernelHistory* history = nullptr;
  schedule::MachineModel machine = {};
  schedule::Mode mode = schedule::Mode::kAuto;
  bool wait_for_gpu = false;
  schedule::PolicyChoice policy = {};
  bool trace = false;
  QueryStats* stats = nullptr;
  int64_t partitions = 0;  // as RunOptions has it
  plan::Settings settings;
};

}  // namespace shadowvm::exec
