// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/exec/gpu/gpu.h"
#include "engine/exec/kernel_binding.h"
#include "engine/kernels/common/launch.h"

namespace shadowvm::exec {

using SegmentPtr = std::shared_ptr<const columns::Segment>;

// Rows [row_begin, row_end) of a segment that was read.
struct LaunchRows {
  SegmentPtr segment;
  int64_t row_begin = 0;
  int64_t row_end = 0;
};

// The segments of one launch as its kernel sees them. A segment of which only stretches of rows are
// there appears once for each.
struct LaunchSegments {
  std::vector<std::vector<kernels::SegmentColumn>> columns;  // by column, then by entry
  std::vector<kernels::SegmentRows> rows;                    // by entry
  std::vector<DeviceCopies::Read> reads;                     // buffers, and how much of each
  std::vector<DeviceCopies::CopyPtr> copies;                 // of reads; null: it has none
  DeviceBlock rows_room;                                     // what SegmentColumn::rows points into
  // Buffers with bytes of plain strings, and where they are.
  std::vector<std::pair<const memory::Buffer*, device::DeviceAddress>> texts;

  int64_t link_bytes = 0;    // copied, and estimated: read in place
  int64_t device_bytes = 0;  // estimated: read from the device's memory
  double copy_ms = 0;        // that it waited for copies
};

// The stream of a turn for PlaceSegments, not the one that launches are queued on: who waits for
// copies does not wait for them.
inline constexpr int kCopyStream = 1;

// What a launch reads, by column.
struct ColumnReads {
  std::vector<double> touched;  // the share of its bytes, roughly
  std::vector<bool> again;      // by wide tiles, and then rows of it once more; empty: none is
};

// Reads the source's segments that can hold rows that pass.
base::Result<std::vector<SegmentPtr>> ReadSegments(const QueryContext& context,
                                                   const PipelineBinding& binding);

// Whether the device has copies of all that a kernel reads of a segment.
bool HasCopies(const DeviceCopies& copies, const columns::Segment& segment);

// Finds a launch's segments for the device: in its memory, in the host's, or by copying them first,
// which is waited for, on a stream without other work. What is read in place, and again, comes over
// the link once if there is room to leave it. The segments must live until the launch is done.
// kOutOfMemory when there is no room for what cannot be read in place, or more than one launch
// takes.
base::Result<LaunchSegments> PlaceSegments(Gpu* gpu, const PipelineBinding& binding,
                                           std::span<const LaunchRows> rows,
                                           const ColumnReads& reads, device::Stream* copy_stream);

// Has the segments copied into a chunk of the device's memory, all of them, and does not wait.
base::Result<LaunchSegments> CopyChunk(Gpu* gpu, const PipelineBinding& binding,
                                       std::span<const LaunchRows> rows, const ColumnReads& reads,
                                       device::DeviceAddress chunk, device::Stream* stream);
// Bytes that takes.
int64_t ChunkBytes(std::span<const LaunchRows> rows);

}  // namespace shadowvm::exec
