// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/table_launch.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "engine/base/elapsed.h"
#include "engine/base/fault.h"
#include "engine/exec/gpu/gpu_run.h"
#include "engine/exec/gpu/launch_image.h"
#include "engine/exec/kernel_run.h"
#include "engine/exec/step_estimates.h"
#include "engine/vkernel/render/kernel_renderer.h"

namespace shadowvm::exec {
namespace {

using base::Result;
using base::Status;
using device::DeviceAddress;

// Steps of a dimension are not measured: zones and dictionaries say enough of them.
MeasuredSteps EstimatedSteps(const PipelineBinding& binding) {
  std::vector<StepEstimate> estimates = EstimateSteps(binding);
  auto order = OrderSteps(binding.blueprint().levels[0].steps, estimates);
  return {std::move(order), std::move(estimates)};
}

class TableLaunch {
 public:
  TableLaunch(const QueryContext& context, std::span<TableBuild* const> builds)
      : context_(context), gpu_(*context.gpu) {
    for (TableBuild* build : builds) parts_.push_back({.build = build});
  }

  Status Run(const device::Program& program) {
    SVM_FAULT_POINT("exec.gpu.run");
    if (context_.workers.cancel != nullptr) SVM_RETURN_NOT_OK(context_.workers.cancel->Check());
    for (Part& part : parts_) SVM_RETURN_NOT_OK(Read(&part));
    // Once all that is read is read.
    SVM_ASSIGN_OR_RETURN(Gpu::Turn turn, gpu_.AwaitTurn(context_.workers.cancel));
    for (Part& part : parts_) SVM_RETURN_NOT_OK(Place(&part, &turn));
    SVM_RETURN_NOT_OK(Write(&turn));
    const base::Span span(&context_.stats->spans, base::Stage::kRun);
    const auto start = std::chrono::steady_clock::now();
    device::Stream& stream = *turn.stream();
    const Status queued = Queue(program, &stream);
    // What was queued names memory of this.
    const Status finished = stream.Synchronize();
    // Nobody knows what a device that failed still holds.
    if (!finished.ok()) gpu_.copies().Clear();
    SVM_RETURN_NOT_OK(queued);
    SVM_RETURN_NOT_OK(finished);
    kernel_ms_ = stream.launch_milliseconds();
    wait_ms_ = turn.waited_ms();
    SVM_RETURN_NOT_OK(Take());
    run_ms_ = base::MillisecondsSince(start);
    return Status::OK();
  }

  // What the parts took, by their rows.
  void Report(const std::string& text, double milliseconds, bool is_full_code) const {
    for (const Part& part : parts_) {
      const double share = num_rows_ == 0
                               ? 1.0 / static_cast<double>(parts_.size())
                               : static_cast<double>(part.rows) / static_cast<double>(num_rows_);
      GpuTimes times;
      times.kernel_ms = kernel_ms_ * share;
      times.wait_ms = wait_ms_ * share;
      times.run_ms = run_ms_ * share;
      times.copy_ms = part.placed.copy_ms;
      times.link_bytes = part.placed.link_bytes;
      times.device_bytes = part.placed.device_bytes;
      times.room_bytes = part.placed.rows_room.bytes();
      PipelineStats stats;
      stats.rows_in = stats.rows_on_gpu = part.rows;
      stats.rows_out = part.build->made().table->num_keys();
      stats.milliseconds = milliseconds * share;
      stats.segments_run = static_cast<int64_t>(part.segments.size());
      stats.segments_skipped =
          part.build->binding().source().table->num_segments() - stats.segments_run;
      stats.kernel_ms = times.kernel_ms;
      stats.link_bytes = times.link_bytes;
      context_.stats->segments_skipped += stats.segments_skipped;
      for (const SegmentPtr& segment : part.segments) CountSegment(*segment, context_.stats);
      part.build->Report(text, times, stats, is_full_code);
    }
  }

 private:
  struct Part {
    TableBuild* build;
    MeasuredSteps steps = {};
    std::vector<DictionaryPredicate::Bytes> predicates = {};
    LaunchTexts texts = {};
    std::vector<SegmentPtr> segments = {};
    int64_t rows = 0;
    LaunchSegments placed = {};
    LaunchPlan plan = {};
    int64_t at = 0, piece_at = 0, end = 0;  // in the image
    DeviceAddress error_at = 0;
  };

  Status Read(Part* part) {
    const PipelineBinding& binding = part->build->binding();
    part->steps = EstimatedSteps(binding);
    SVM_ASSIGN_OR_RETURN(part->segments, ReadSegments(context_, binding));
    // Only now: what is read may bring strings that no dictionary had.
    SVM_ASSIGN_OR_RETURN(part->predicates, binding.EvaluatePredicates());
    SVM_ASSIGN_OR_RETURN(part->texts, FindTexts(binding));
    for (const SegmentPtr& segment : part->segments) part->rows += segment->num_rows;
    num_rows_ += part->rows;
    return Status::OK();
  }

  LaunchInputs InputsOf(const Part& part) const {
    return {part.build->binding(),
            part.steps,
            part.build->sink(),
            {.count = part.rows, .beside = num_rows_ - part.rows},
            part.predicates,
            {},
            part.texts};
  }

  // Finds room for the part's table, its segments, and where in the image it lies.
  Status Place(Part* part, Gpu::Turn* turn) {
    const PipelineBinding& binding = part->build->binding();
    SVM_RETURN_NOT_OK(part->build->sink().Expect(part->rows, ShareLeft(part->steps)));
    LaunchWriter sizes(0);
    WriteLaunch(InputsOf(*part), gpu_.facts(), &part->plan, &sizes);
    std::vector<LaunchRows> rows;
    for (const SegmentPtr& segment : part->segments)
      rows.push_back({segment, 0, segment->num_rows});
    const ColumnReads reads{TouchedShares(binding.blueprint(), part->steps, part->plan.steps),
                            ReadAgain(binding.blueprint(), part->plan.steps)};
    SVM_ASSIGN_OR_RETURN(device::Stream * copies, turn->Stream(kCopyStream));
    SVM_ASSIGN_OR_RETURN(part->placed, PlaceSegments(&gpu_, binding, rows, reads, copies));
    part->at = image_bytes_;
    part->piece_at = part->at + memory::RangeAllocator::SizeOf(sizes.data_bytes());
    const auto num_columns = static_cast<int64_t>(binding.blueprint().columns.size());
    part->end = part->piece_at + memory::RangeAllocator::SizeOf(
                                     PieceBytes(part->segments, num_columns, sizes.block_size()));
    image_bytes_ = part->end;
    return Status::OK();
  }

  Status Write(Gpu::Turn* turn) {
    SVM_ASSIGN_OR_RETURN(address_, turn->Scratch(image_bytes_ + int64_t{sizeof(LaunchParts)}));
    image_.resize(static_cast<size_t>(image_bytes_) + sizeof(LaunchParts));
    LaunchParts parts{};
    for (size_t i = 0; i < parts_.size(); ++i) {
      SVM_ASSIGN_OR_RETURN(parts.part[i], WritePart(&parts_[i]));
      parts.end_block[i] = static_cast<kernels::u32>(shape_.num_blocks);
    }
    std::memcpy(image_.data() + image_bytes_, &parts, sizeof parts);
    return Status::OK();
  }

  Result<const kernels::LaunchBlock*> WritePart(Part* part) {
    LaunchWriter writer(AddressOf(part->at));
    part->error_at = WriteLaunch(InputsOf(*part), gpu_.facts(), &part->plan, &writer);
    const int num_blocks = NumBlocks(gpu_.facts(), part->plan, NumTiles(part->placed.rows));
    LaunchWriter piece(AddressOf(part->piece_at));
    LaunchPiece described;
    described.first_block = shape_.num_blocks;
    described.num_blocks = num_blocks;
    const DeviceAddress block = WritePiece(described, part->placed, writer.block(), &piece);
    if (part->piece_at + piece.data_bytes() > part->end) {
      return base::MakeError(base::ErrorCode::kOutOfMemory, "more segments than one launch takes");
    }
    std::memcpy(image_.data() + part->at, writer.image().data(),
                static_cast<size_t>(writer.data_bytes()));
    std::memcpy(image_.data() + part->piece_at, piece.image().data(),
                static_cast<size_t>(piece.data_bytes()));
    shape_.num_blocks += num_blocks;
    shape_.block_threads = part->plan.shape.block_threads;
    shape_.shared_bytes = std::max(shape_.shared_bytes, part->plan.shape.shared_bytes);
    return reinterpret_cast<const kernels::LaunchBlock*>(block);
  }

  Status Queue(const device::Program& program, device::Stream* stream) {
    SVM_RETURN_NOT_OK(stream->CopyIn(address_, image_.data(), static_cast<int64_t>(image_.size())));
    for (Part& part : parts_) SVM_RETURN_NOT_OK(part.build->sink().Prepare(stream));
    SVM_RETURN_NOT_OK(stream->Launch(program, shape_, AddressOf(image_bytes_)));
    for (Part& part : parts_) {
      SVM_RETURN_NOT_OK(part.build->sink().Fetch(stream, part.error_at));
    }
    return Status::OK();
  }

  Status Take() {
    Status status;
    for (Part& part : parts_) {
      const kernels::u32 error = part.build->sink().error();
      Status own = error == 0
                       ? part.build->Take()
                       : base::MakeError(static_cast<base::ErrorCode>(error), part.build->title());
      if (!own.ok()) part.build->Fail(own.message());
      if (status.ok()) status = own;
    }
    return status;
  }

  DeviceAddress AddressOf(int64_t offset) const { return address_ + static_cast<uint64_t>(offset); }

  using LaunchParts = kernels::LaunchParts;
  const QueryContext& context_;
  Gpu& gpu_;
  std::vector<Part> parts_;
  int64_t num_rows_ = 0;     // of all parts
  int64_t image_bytes_ = 0;  // of all parts
  std::vector<uint8_t> image_;
  DeviceAddress address_ = 0;
  device::LaunchShape shape_{.num_blocks = 0};
  double kernel_ms_ = 0, wait_ms_ = 0, run_ms_ = 0;
};

Status MakeByOneLaunch(const QueryContext& context, std::span<TableBuild* const> builds) {
  std::vector<std::string> texts;
  for (const TableBuild* build : builds) texts.push_back(build->text());
  const std::string text = vkernel::JoinParts(texts);
  const bool is_full_code = !context.wait_for_gpu || context.gpu->programs().HasFull(text);
  SVM_ASSIGN_OR_RETURN(const auto program, FindProgram(context, builds[0]->title(), text));
  if (program == nullptr) {
    return base::MakeError(base::ErrorCode::kUnsupported, kStillCompiling);
  }
  const auto start = std::chrono::steady_clock::now();
  TableLaunch launch(context, builds);
  SVM_RETURN_NOT_OK(launch.Run(*program));
  launch.Report(text, base::MillisecondsSince(start), is_full_code);
  return Status::OK();
}

}  // namespace

Status MakeTables(const QueryContext& context, std::span<TableBuild* const> builds) {
  Status status;
  for (size_t at = 0; at < builds.size() && status.ok(); at += kernels::kMostParts) {
    status = MakeByOneLaunch(
        context, builds.subspan(at, std::min<size_t>(kernels::kMostParts, builds.size() - at)));
  }
  if (!status.ok()) context.gpu->NoteEnd(status);
  const bool known = std::any_of(builds.begin(), builds.end(),
                                 [](const TableBuild* build) { return !build->why_not().empty(); });
  if (status.ok() || known) return status;
  for (TableBuild* build : builds) build->Fail(status.message());
  return status;
}

}  // namespace shadowvm::exec
