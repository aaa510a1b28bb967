// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <span>
#include <vector>

#include "engine/exec/gpu/apart_sink.h"
#include "engine/exec/gpu/launch_call.h"
#include "engine/exec/gpu/launch_plan.h"
#include "engine/exec/gpu/launch_segments.h"

// What launches are told, as bytes: tables that all launches of a run look into, and a piece of
// each launch's own.
namespace shadowvm::exec {

// Writes what every launch of a run is told; gives where the kernel leaves an error. A plan that
// is not made is made; it depends on the size of what is written, and that on no plan.
device::DeviceAddress WriteLaunch(const LaunchInputs& inputs, const device::AcceleratorFacts& facts,
                                  LaunchPlan* plan, LaunchWriter* writer);

// Where lists of segments are on the device.
struct SegmentLists {
  std::vector<device::DeviceAddress> columns;
  device::DeviceAddress rows = 0;
  int64_t end_tile = 0;  // LaunchBlock's

  bool operator==(const SegmentLists&) const = default;
};
SegmentLists WriteLists(const LaunchSegments& segments, LaunchWriter* writer);
// Tells a launch, by its block, of its segments.
kernels::LaunchBlock* Point(uint8_t* block, const SegmentLists& lists);

// What the one launch over a scan is told, for later runs that would write the same.
struct ScanLaunch {
  // What it was written from, beside the pipeline, its steps and its sink.
  struct Source {
    device::DeviceAddress address = 0;  // of the image
    int64_t num_rows = 0, num_tiles = 0;
    SegmentLists lists;
    PlacedData tables;
    std::vector<DictionaryPredicate::Bytes> predicates;
    std::vector<PipelineBinding::Translation> translations;

    bool operator==(const Source&) const = default;
  };
  Source source;

  std::vector<uint8_t> image;
  int64_t scratch_bytes = 0;  // with space that is not copied
  device::LaunchShape shape;
  device::DeviceAddress block = 0;  // that it is started with
  device::DeviceAddress error = 0;  // where the kernel leaves one
};

// A launch among those of a run, or a part of one.
struct LaunchPiece {
  int number = 0;
  int first_block = 0;
  int num_blocks = 0;
  // Where it is apart, else null: its sink, what words of its place begin with, and a word for its
  // error, and its space.
  const ApartSink* sink = nullptr;
  std::span<const int64_t> words;
  device::DeviceAddress space = 0;
  // Its warps' first shares, if who is done takes what nobody has: over the link processors are not
  // equally fast. 0: each has its part.
  int num_shares_begun = 0;
};
// Writes a launch's own piece: its words, which come first, its number, its segments, and its copy
// of the block, which is what it is started with, and whose address this is.
device::DeviceAddress WritePiece(const LaunchPiece& piece, const LaunchSegments& segments,
                                 std::span<const uint8_t> block, LaunchWriter* writer);
// The most that a piece takes.
int64_t PieceBytes(const std::vector<SegmentPtr>& segments, int64_t num_columns,
                   int64_t block_bytes);

// The share of rows that steps leave, taken to know nothing of each other.
double ShareLeft(const MeasuredSteps& steps);

}  // namespace shadowvm::exec
