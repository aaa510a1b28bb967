// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/exec/gpu/apart_sink.h"
#include "engine/exec/gpu/gpu.h"
#include "engine/exec/gpu/launch_call.h"
#include "engine/exec/gpu/launch_image.h"
#include "engine/exec/gpu/launch_plan.h"
#include "engine/exec/gpu/launch_segments.h"
#include "engine/exec/gpu/launch_tables.h"
#include "engine/exec/gpu/launch_texts.h"
#include "engine/exec/query_context.h"

namespace shadowvm::exec {

// Why a pipeline does not run there yet, where it is not waited for.
inline constexpr char kStillCompiling[] = "its kernel is still being compiled";

// Rows of one of a run's segments.
struct GpuRows {
  int segment = 0;  // in the list that the run was begun with
  int64_t row_begin = 0;
  int64_t row_end = 0;
};

// Where a run's rows are: in segments of the host, or on the device as a whole.
struct GpuSource {
  std::vector<SegmentPtr> segments;  // of the source that can hold rows that pass
  PlacedScans::ScanPtr scan;         // instead of them, if there
};

// A pipeline's kernel on a GPU, launched over parts of its source: all at once, or a part at a time
// by who gives the rest to others. Launches add to the same groups in the device's memory, or are
// apart. One thread at a time; what it was made from outlives it, unless it is left behind, and it
// waits for the device before it goes.
class GpuRun {
 public:
  // Waits for a turn on the device and brings the tables there that the kernel looks into. Fault
  // point exec.gpu.run.
  static base::Result<std::unique_ptr<GpuRun>> Begin(const QueryContext& context, Gpu* gpu,
                                                     const device::Program& program,
                                                     const PipelineBinding& binding,
                                                     KnownSteps* steps, LaunchSink* sink,
                                                     GpuSource source);
  // The same for launches that are apart, so many at a time, by who has a turn.
  static base::Result<std::unique_ptr<GpuRun>> BeginApart(const QueryContext& context, Gpu* gpu,
                                                          const device::Program& program,
                                                          const PipelineBinding& binding,
                                                          KnownSteps* steps, ApartSink* sink,
                                                          std::vector<SegmentPtr> segments,
                                                          int num_areas, Gpu::Turn turn);
  ~GpuRun();
  GpuRun(const GpuRun&) = delete;
  GpuRun& operator=(const GpuRun&) = delete;

  // Queues a launch over rows of segments into a place of its own: that of an area. Does not wait,
  // except for copies that it needs. Launches of several areas overlap; an area has one at a time,
  // which must be collected. Fault point exec.gpu.launch.
  base::Status LaunchApart(std::span<const GpuRows> rows, int area);
  // Whether the area's launch is done. Does not wait.
  base::Result<bool> IsDone(int area);
  // Has the sink take in what the area's launch has found; waits for it, and for no other. False:
  // there was no room, and this run is of no more use. Fault point exec.gpu.collect.
  base::Result<bool> Collect(int area);
  // Launches over all segments, by the way of coming by them that the GPU is set to.
  base::Status LaunchAll();
  // Waits for all launches and has the sink take in what has become of the rows; what it stands for
  // is as it was when this fails. False: the sink wants another run, with more room.
  base::Result<bool> Finish();

  // Ends without waiting: the GPU keeps it, with its program, until its launches are done.
  static void LeaveBehind(std::unique_ptr<GpuRun> run,
                          std::shared_ptr<const device::Program> program);

  // After Finish; before, of what was collected.
  const GpuTimes& times() const { return times_; }

 private:
  class Left;

  GpuRun(const QueryContext& context, Gpu* gpu, const device::Program& program,
         const PipelineBinding& binding, LaunchSink* sink, Gpu::Turn turn);

  // What one launch is told, segments and copies that it reads and where it leaves rows, until it
  // is done.
  struct Piece {
    std::vector<uint8_t> image;
    std::vector<SegmentPtr> segments;  // of an area: else they are the run's
    std::vector<DeviceCopies::CopyPtr> copies;
    DeviceBlock rows_room;
  };
  // When chunks began to be copied, and what kernels had taken by then.
  struct Chunks {
    std::chrono::steady_clock::time_point begin;
    double kernel_ms_before = 0;
  };
  // Where one launch is apart from others.
  struct Area {
    device::Stream* stream = nullptr;
    SinkPlace place;             // its words are what its piece begins with
    std::vector<int64_t> words;  // as a launch begins with them, and one for its error
    Piece piece;
    TextOrigins origins;         // of strings in its segments
    bool is_fetched = false;     // what its launch finds was asked for
    std::vector<int64_t> found;  // the words after its last launch
  };

  static base::Result<std::unique_ptr<GpuRun>> Make(const QueryContext& context, Gpu* gpu,
                                                    const device::Program& program,
                                                    const PipelineBinding& binding,
                                                    LaunchSink* sink, GpuSource source,
                                                    std::optional<Gpu::Turn> turn);
  base::Status WriteTables(KnownSteps* steps, int num_areas);
  // What the launch over a scan is written from, if its image is to be at an address.
  ScanLaunch::Source SourceAt(device::DeviceAddress address) const;
  // Whether an earlier run has written what this one would.
  base::Result<bool> FindLaunch(const KnownSteps& known);
  // Makes the launch over a scan from what the writer has, whose block is not pointed at it yet.
  void MakeLaunch(LaunchWriter* writer, ScanLaunch::Source source, int64_t scratch_bytes,
                  KnownSteps* known);
  base::Status SendLaunch();
  base::Status MakeAreas(SinkPlace first, int num_areas);
  // Asks for what the area's launch finds.
  base::Status FetchArea(Area* area);
  base::Result<LaunchSegments> Place(std::span<const GpuRows> rows);
  // Says where bytes of their strings came from, if anybody will ask.
  void NoteTexts(const LaunchSegments& placed, TextOrigins* origins) const;
  base::Status LaunchScan();
  base::Status LaunchChunks();
  base::Status AwaitChunks();
  // Lists a launch over all segments on the device, for whoever asks for them again.
  base::Status KeepScan(const LaunchSegments& placed);
  int64_t NumRows() const;
  // The launch itself, of segments that are placed; in an area, or else into the common groups.
  base::Status Queue(LaunchSegments segments, Area* area, device::Stream* stream);
  base::Result<device::DeviceAddress> NextPiece(int64_t bytes);
  base::Status Synchronize();
  // Whether kernels read more from the host's memory than from the device's.
  bool IsOverLink() const;
  std::vector<LaunchRows> RowsOf(std::span<const GpuRows> rows) const;

  const QueryContext& context_;
  Gpu& gpu_;
  const device::Program& program_;
  const PipelineBinding& binding_;
  LaunchSink& sink_;
  std::vector<SegmentPtr> segments_;
  PlacedScans::ScanPtr scan_;
  std::vector<DictionaryPredicate::Bytes> predicates_;
  std::vector<PipelineBinding::Translation> translations_;
  LaunchTexts texts_;
  TextOrigins origins_;
  Gpu::Turn turn_;

  LaunchTables joins_;
  // What launches are told: tables that all of them look into, then a ring of pieces of their own,
  // or the areas.
  std::vector<uint8_t> tables_;
  std::vector<uint8_t> block_;                // as every launch begins
  std::shared_ptr<const ScanLaunch> launch_;  // instead of these: the one over a scan
  LaunchPlan plan_;
  ColumnReads reads_;  // of segments that are yet to be placed
  device::DeviceAddress error_ = 0, ring_ = 0;
  int64_t piece_bytes_ = 0;  // at most
  int64_t ring_bytes_ = 0, ring_at_ = 0;
  ApartSink* apart_ = nullptr;  // the sink; null where there are no areas
  int64_t word_bytes_ = 0;      // of a place, with the word for an error
  int64_t place_bytes_ = 0;     // of its space
  std::vector<Area> areas_;

  std::deque<Piece> pieces_;              // of the ring, until the device has been waited for
  int num_launches_ = 0;                  // ever
  std::vector<device::Stream*> streams_;  // that were used
  bool over_link_ = false;                // most columns are read in place
  bool is_idle_ = true;                   // nothing was queued since they were waited for
  std::optional<Chunks> chunks_;          // of active prefetch
  GpuTimes times_;
};

// A kernel's program: compiled now where the query waits for the GPU; else null while it is not
// ready, and made meanwhile.
base::Result<vkernel::ProgramCache::Loaded> FindProgram(const QueryContext& context,
                                                        const std::string& title,
                                                        const std::string& text);

// A whole pipeline: the sink is as it was when this fails. Else: what it took.
base::Result<GpuTimes> RunOnGpu(const QueryContext& context, Gpu* gpu,
                                const device::Program& program, const PipelineBinding& binding,
                                KnownSteps* steps, LaunchSink* sink);

}  // namespace shadowvm::exec
