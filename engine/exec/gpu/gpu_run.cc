// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/gpu/gpu_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "engine/base/elapsed.h"
#include "engine/base/fault.h"
#include "engine/exec/kernel_run.h"
#include "engine/vkernel/render/target.h"

namespace shadowvm::exec {
namespace {

using base::Result;
using base::Status;
using device::DeviceAddress;

// Room for the pieces of many small launches, at least.
constexpr int64_t kLeastRing = int64_t{256} << 10;
// A scan of fewer segments is placed again as fast as it is found.
constexpr int64_t kLeastSegments = 2;
// Plans that rest hold no more of what a launch was told.
constexpr size_t kMostKeptBytes = size_t{128} << 10;

template <typename T>
int64_t Count(const std::vector<T>& values) {
  return static_cast<int64_t>(values.size());
}

// Once it is known that the device has done them: else the CPU will, and count.
void CountSegments(const std::vector<SegmentPtr>& segments, int num_segments, QueryStats* stats) {
  stats->segments_skipped += num_segments - Count(segments);
  for (const SegmentPtr& segment : segments) CountSegment(*segment, stats);
}

void CountScan(const PlacedScan& scan, QueryStats* stats) {
  stats->segments_run += scan.segments_run;
  stats->segments_skipped += scan.segments_skipped;
  stats->bytes_read += scan.bytes_read;
  stats->rows_read += scan.num_rows;
}

Result<GpuSource> FindSource(const QueryContext& context, Gpu* gpu, const PipelineBinding& binding,
                             KnownSteps* known) {
  GpuSource source;
  if (gpu->options().prefetch == GpuPrefetch::kKept) {
    if (!known->scan_key) known->scan_key = ScanKey::Of(binding);
    // Strings that leave are taken from the host's segments.
    const bool may_find = !vkernel::TextsLeave(binding.blueprint());
    if (may_find) source.scan = gpu->scans().Find(*known->scan_key);
  }
  if (source.scan != nullptr) return source;
  SVM_ASSIGN_OR_RETURN(source.segments, ReadSegments(context, binding));
  return source;
}

}  // namespace

GpuRun::GpuRun(const QueryContext& context, Gpu* gpu, const device::Program& program,
               const PipelineBinding& binding, LaunchSink* sink, Gpu::Turn turn)
    : context_(context),
      gpu_(*gpu),
      program_(program),
      binding_(binding),
      sink_(*sink),
      turn_(std::move(turn)) {}

GpuRun::~GpuRun() {
  // What was queued names memory of this run. Who wanted to know has asked before.
  if (!is_idle_) static_cast<void>(Synchronize());
}

Result<std::unique_ptr<GpuRun>> GpuRun::Make(const QueryContext& context, Gpu* gpu,
                                             const device::Program& program,
                                             const PipelineBinding& binding, LaunchSink* sink,
                                             GpuSource source, std::optional<Gpu::Turn> turn) {
  SVM_FAULT_POINT("exec.gpu.run");
  SVM_ASSIGN_OR_RETURN(auto predicates, binding.EvaluatePredicates());
  SVM_ASSIGN_OR_RETURN(auto translations, binding.TranslateKeys());
  SVM_ASSIGN_OR_RETURN(LaunchTexts texts, FindTexts(binding));
  if (texts.leave && gpu->options().prefetch == GpuPrefetch::kActive) {
    return base::MakeError(base::ErrorCode::kUnsupported,
                           "strings that leave, of segments that come chunk by chunk");
  }
  if (!turn) {
    SVM_ASSIGN_OR_RETURN(auto own, gpu->AwaitTurn(context.workers.cancel));
    turn.emplace(std::move(own));
  }
  std::unique_ptr<GpuRun> run(new GpuRun(context, gpu, program, binding, sink, std::move(*turn)));
  run->times_.wait_ms = run->turn_.waited_ms();
  run->segments_ = std::move(source.segments);
  run->scan_ = std::move(source.scan);
  run->predicates_ = std::move(predicates);
  run->translations_ = std::move(translations);
  run->texts_ = std::move(texts);
  return run;
}

Result<std::unique_ptr<GpuRun>> GpuRun::Begin(const QueryContext& context, Gpu* gpu,
                                              const device::Program& program,
                                              const PipelineBinding& binding, KnownSteps* steps,
                                              LaunchSink* sink, GpuSource source) {
  SVM_ASSIGN_OR_RETURN(auto run,
                       Make(context, gpu, program, binding, sink, std::move(source), std::nullopt));
  SVM_RETURN_NOT_OK(run->WriteTables(steps, 0));
  return run;
}

Result<std::unique_ptr<GpuRun>> GpuRun::BeginApart(const QueryContext& context, Gpu* gpu,
                                                   const device::Program& program,
                                                   const PipelineBinding& binding,
                                                   KnownSteps* steps, ApartSink* sink,
                                                   std::vector<SegmentPtr> segments, int num_areas,
                                                   Gpu::Turn turn) {
  SVM_ASSIGN_OR_RETURN(auto run, Make(context, gpu, program, binding, sink,
                                      GpuSource{std::move(segments), nullptr}, std::move(turn)));
  sink->SetApart();
  run->apart_ = sink;
  SVM_RETURN_NOT_OK(run->WriteTables(steps, num_areas));
  return run;
}

int64_t GpuRun::NumRows() const {
  if (scan_ != nullptr) return scan_->num_rows;
  int64_t rows = 0;
  for (const SegmentPtr& segment : segments_) rows += segment->num_rows;
  return rows;
}

Status GpuRun::WriteTables(KnownSteps* known, int num_areas) {
  const int64_t num_rows = NumRows();
  const MeasuredSteps& steps = known->measured;
  SVM_RETURN_NOT_OK(sink_.Expect(num_rows, ShareLeft(steps)));
  if (apart_ != nullptr) {
    word_bytes_ = (Count(apart_->WordsAt({})) + 1) * 8;
    place_bytes_ = memory::RangeAllocator::SizeOf(apart_->PlaceBytes());
  }
  streams_.push_back(turn_.stream());
  is_idle_ = false;
  SVM_ASSIGN_OR_RETURN(joins_, PlaceTables(&gpu_, binding_, turn_.stream()));
  times_.link_bytes += joins_.link_bytes;
  SVM_ASSIGN_OR_RETURN(const bool is_written, FindLaunch(*known));
  if (is_written) return SendLaunch();
  over_link_ = IsOverLink();
  const LaunchExtent rows{.count = num_rows, .over_link = over_link_, .in_batches = num_areas > 0};
  LaunchInputs inputs{binding_, steps, sink_, rows, predicates_, translations_, texts_};
  LaunchWriter sizes(0, {.placed = &joins_.placed});
  plan_ = known->PlanFor(rows);
  WriteLaunch(inputs, gpu_.facts(), &plan_, &sizes);
  if (rows != known->plan_rows) {
    known->plan = plan_;
    known->plan_rows = rows;
  }
  piece_bytes_ = memory::RangeAllocator::SizeOf(
      PieceBytes(segments_, Count(binding_.blueprint().columns), sizes.block_size()) +
      LaunchWriter::DataBytes(word_bytes_));
  ring_bytes_ =
      num_areas == 0 ? memory::RangeAllocator::SizeOf(std::max(piece_bytes_, kLeastRing)) : 0;
  const int64_t areas_at = sizes.data_bytes() + ring_bytes_;
  const int64_t space_at = areas_at + num_areas * piece_bytes_;
  const int64_t places_at = memory::RangeAllocator::SizeOf(space_at + sizes.space_bytes());
  const int64_t scratch_bytes = places_at + num_areas * place_bytes_;
  SVM_ASSIGN_OR_RETURN(const DeviceAddress address, turn_.Scratch(scratch_bytes));
  LaunchWriter writer(address, {.placed = &joins_.placed, .space_at = space_at});
  writer.ReserveFor(sizes);
  if (texts_.leave) inputs.origins = &origins_;
  error_ = WriteLaunch(inputs, gpu_.facts(), &plan_, &writer);
  if (scan_ != nullptr) {
    MakeLaunch(&writer, SourceAt(address), scratch_bytes, known);
    return SendLaunch();
  }
  ring_ = address + static_cast<uint64_t>(writer.data_bytes());
  reads_ = {TouchedShares(binding_.blueprint(), steps, plan_.steps),
            ReadAgain(binding_.blueprint(), plan_.steps)};
  block_.assign(writer.block().begin(), writer.block().end());
  tables_ = writer.TakeImage();
  SVM_RETURN_NOT_OK(turn_.stream()->CopyIn(address, tables_.data(), writer.data_bytes()));
  SVM_RETURN_NOT_OK(sink_.Prepare(turn_.stream()));
  return MakeAreas(
      {address + static_cast<uint64_t>(areas_at), address + static_cast<uint64_t>(places_at)},
      num_areas);
}

ScanLaunch::Source GpuRun::SourceAt(DeviceAddress address) const {
  return {address,          scan_->num_rows,
          scan_->num_tiles, {scan_->columns, scan_->rows, scan_->end_tile},
          joins_.placed,    predicates_,
          translations_};
}

Result<bool> GpuRun::FindLaunch(const KnownSteps& known) {
  if (scan_ == nullptr || known.launch == nullptr) return false;
  SVM_ASSIGN_OR_RETURN(const DeviceAddress address, turn_.Scratch(known.launch->scratch_bytes));
  if (known.launch->source != SourceAt(address)) return false;
  launch_ = known.launch;
  return true;
}

void GpuRun::MakeLaunch(LaunchWriter* writer, ScanLaunch::Source source, int64_t scratch_bytes,
                        KnownSteps* known) {
  auto launch = std::make_shared<ScanLaunch>();
  launch->source = std::move(source);
  launch->scratch_bytes = scratch_bytes;
  launch->shape = plan_.shape;
  launch->shape.num_blocks = NumBlocks(gpu_.facts(), plan_, scan_->num_tiles);
  launch->block = writer->block_address();
  launch->error = error_;
  const int64_t block_at = writer->data_bytes();
  launch->image = writer->TakeImage();
  kernels::LaunchBlock* const head = Point(launch->image.data() + block_at, launch->source.lists);
  head->num_blocks = static_cast<kernels::u32>(launch->shape.num_blocks);
  if (sink_.writes_alike() && texts_.empty && launch->image.size() <= kMostKeptBytes)
    known->launch = launch;
  launch_ = std::move(launch);
}

Status GpuRun::SendLaunch() {
  error_ = launch_->error;
  SVM_RETURN_NOT_OK(turn_.stream()->CopyIn(launch_->source.address, launch_->image.data(),
                                           Count(launch_->image)));
  return sink_.Prepare(turn_.stream());
}

Status GpuRun::MakeAreas(SinkPlace place, int num_areas) {
  if (num_areas == 0) return Status::OK();
  for (int number = 0; number < num_areas; ++number) {
    Area& area = areas_.emplace_back();
    // With a stream of its own: a launch begins where the one before it leaves processors idle.
    SVM_ASSIGN_OR_RETURN(area.stream, turn_.Stream(number == 0 ? 0 : kCopyStream + number));
    if (number > 0) streams_.push_back(area.stream);
    area.place = place;
    area.words = apart_->WordsAt(place);
    area.words.push_back(0);  // no error
    place.words += static_cast<uint64_t>(piece_bytes_);
    place.space += static_cast<uint64_t>(place_bytes_);
  }
  // Tables came by the first stream; others must find them.
  return Synchronize();
}

bool GpuRun::IsOverLink() const {
  if (scan_ != nullptr) return false;
  if (gpu_.options().prefetch != GpuPrefetch::kKept) {
    return gpu_.options().prefetch == GpuPrefetch::kPassive;
  }
  int64_t bytes = 0;
  for (const SegmentPtr& segment : segments_) {
    for (const auto& column : segment->columns) bytes += column->bytes();
  }
  return bytes > gpu_.arena().cap();
}

std::vector<LaunchRows> GpuRun::RowsOf(std::span<const GpuRows> rows) const {
  std::vector<LaunchRows> parts;
  for (const GpuRows& part : rows) {
    parts.push_back({segments_[static_cast<size_t>(part.segment)], part.row_begin, part.row_end});
  }
  return parts;
}

Result<LaunchSegments> GpuRun::Place(std::span<const GpuRows> rows) {
  SVM_ASSIGN_OR_RETURN(device::Stream * copy_stream, turn_.Stream(kCopyStream));
  return PlaceSegments(&gpu_, binding_, RowsOf(rows), reads_, copy_stream);
}

Status GpuRun::LaunchApart(std::span<const GpuRows> rows, int number) {
  SVM_FAULT_POINT("exec.gpu.launch");
  SVM_ASSIGN_OR_RETURN(LaunchSegments placed, Place(rows));
  Area& area = areas_[static_cast<size_t>(number)];
  for (const GpuRows& part : rows) {
    area.piece.segments.push_back(segments_[static_cast<size_t>(part.segment)]);
  }
  // Where an earlier launch had its segments others may be now.
  area.origins = TextOrigins(&origins_);
  NoteTexts(placed, &area.origins);
  is_idle_ = false;
  SVM_RETURN_NOT_OK(apart_->PrepareAt(area.stream, area.place));
  SVM_RETURN_NOT_OK(Queue(std::move(placed), &area, area.stream));
  // So that it is there when the launch is done, unless we would have to wait for it.
  area.is_fetched = area.stream->CopiesOutPromptly(word_bytes_);
  return area.is_fetched ? FetchArea(&area) : Status::OK();
}

void GpuRun::NoteTexts(const LaunchSegments& placed, TextOrigins* origins) const {
  if (!texts_.leave) return;
  for (const auto& [buffer, address] : placed.texts) {
    origins->Add(address, buffer->data(), buffer->size());
  }
}

Status GpuRun::FetchArea(Area* area) {
  area->found.resize(area->words.size());
  return area->stream->CopyOut(area->found.data(), area->place.words, word_bytes_);
}

Result<bool> GpuRun::IsDone(int number) {
  return areas_[static_cast<size_t>(number)].stream->IsDone();
}

Result<bool> GpuRun::Collect(int number) {
  SVM_FAULT_POINT("exec.gpu.collect");
  Area& area = areas_[static_cast<size_t>(number)];
  const Status status = area.is_fetched ? Status::OK() : FetchArea(&area);
  const Status finished = area.stream->Synchronize();
  SVM_RETURN_NOT_OK(status);
  SVM_RETURN_NOT_OK(finished);
  times_.kernel_ms += area.stream->launch_milliseconds();
  const std::span words = std::span(area.found).first(area.found.size() - 1);
  const Result<bool> taken = apart_->TakeAt(area.stream, area.place, words, &area.origins);
  area.piece = {};
  SVM_RETURN_NOT_OK(taken.status());
  const int64_t error = area.found.back();
  if (!*taken || error == 0) return taken;
  return base::MakeError(static_cast<base::ErrorCode>(error), binding_.blueprint().title);
}

Status GpuRun::LaunchAll() {
  if (scan_ != nullptr) return LaunchScan();
  if (gpu_.options().prefetch == GpuPrefetch::kActive) return LaunchChunks();
  if (segments_.empty()) return Status::OK();
  std::vector<GpuRows> rows;
  for (size_t i = 0; i < segments_.size(); ++i) {
    rows.push_back({static_cast<int>(i), 0, segments_[i]->num_rows});
  }
  SVM_ASSIGN_OR_RETURN(LaunchSegments placed, Place(rows));
  NoteTexts(placed, &origins_);
  SVM_RETURN_NOT_OK(KeepScan(placed));
  return Queue(std::move(placed), nullptr, turn_.stream());
}

Status GpuRun::LaunchScan() {
  is_idle_ = false;
  times_.device_bytes += scan_->launch_bytes;
  ++num_launches_;
  return turn_.stream()->Launch(program_, launch_->shape, launch_->block);
}

Status GpuRun::KeepScan(const LaunchSegments& placed) {
  const auto is_absent = [](const auto& copy) { return copy == nullptr; };
  if (gpu_.options().prefetch != GpuPrefetch::kKept || Count(segments_) < kLeastSegments ||
      std::any_of(placed.copies.begin(), placed.copies.end(), is_absent)) {
    return Status::OK();
  }
  LaunchWriter sizes(0);
  WriteLists(placed, &sizes);
  auto room = gpu_.arena().Take(sizes.data_bytes());
  if (!room.ok()) return Status::OK();  // it is a matter of time only
  LaunchWriter writer(room->address());
  SegmentLists lists = WriteLists(placed, &writer);
  auto scan = std::make_shared<PlacedScan>();
  scan->lists = std::move(*room);
  scan->columns = std::move(lists.columns);
  scan->rows = lists.rows;
  scan->end_tile = lists.end_tile;
  scan->num_tiles = NumTiles(placed.rows);
  for (size_t i = 0; i < placed.reads.size(); ++i) {
    const DeviceCopies::Read& read = placed.reads[i];
    scan->parts.push_back({read.buffer.get(), placed.copies[i], read.bytes});
    scan->launch_bytes += read.bytes;
  }
  QueryStats counted;
  CountSegments(segments_, binding_.source().table->num_segments(), &counted);
  scan->num_rows = counted.rows_read;
  scan->segments_run = counted.segments_run;
  scan->segments_skipped = counted.segments_skipped;
  scan->bytes_read = counted.bytes_read;
  SVM_ASSIGN_OR_RETURN(device::Stream * stream, turn_.Stream(kCopyStream));
  SVM_RETURN_NOT_OK(
      stream->CopyIn(scan->lists.address(), writer.image().data(), writer.data_bytes()));
  SVM_RETURN_NOT_OK(stream->Synchronize());
  gpu_.scans().Keep(ScanKey::Of(binding_), std::move(scan));
  return Status::OK();
}

Status GpuRun::LaunchChunks() {
  std::vector<std::vector<LaunchRows>> chunks;
  const int64_t enough = gpu_.options().chunk_rows;
  int64_t rows_of_chunk = enough;
  for (const SegmentPtr& segment : segments_) {
    if (rows_of_chunk >= enough) {
      chunks.emplace_back();
      rows_of_chunk = 0;
    }
    chunks.back().push_back({segment, 0, segment->num_rows});
    rows_of_chunk += segment->num_rows;
  }
  int64_t most_bytes = 0;
  for (const auto& chunk : chunks) most_bytes = std::max(most_bytes, ChunkBytes(chunk));
  // Tables are on the first stream; others must find them.
  SVM_RETURN_NOT_OK(Synchronize());
  is_idle_ = false;
  chunks_ = {std::chrono::steady_clock::now(), times_.kernel_ms};
  for (size_t i = 0; i < chunks.size(); ++i) {
    const int number = static_cast<int>(i) % std::max(gpu_.options().active_streams, 1);
    SVM_ASSIGN_OR_RETURN(device::Stream * stream, turn_.Stream(number));
    SVM_ASSIGN_OR_RETURN(const DeviceAddress at, turn_.Chunk(number, most_bytes));
    if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) {
      streams_.push_back(stream);
    }
    SVM_ASSIGN_OR_RETURN(LaunchSegments copied,
                         CopyChunk(&gpu_, binding_, chunks[i], reads_, at, stream));
    SVM_RETURN_NOT_OK(Queue(std::move(copied), nullptr, stream));
  }
  return Status::OK();
}

Status GpuRun::Queue(LaunchSegments segments, Area* area, device::Stream* stream) {
  const int num_blocks = NumBlocks(gpu_.facts(), plan_, NumTiles(segments.rows));
  const int num_warps = num_blocks * plan_.shape.block_threads / kWarpThreads;
  LaunchPiece described;
  described.number = num_launches_;
  described.num_blocks = num_blocks;
  described.num_shares_begun = over_link_ ? num_warps : 0;
  if (area != nullptr) {
    // They come with the piece: a kernel that wrote them there would wait for processors, of which
    // another launch may have all.
    described.sink = apart_;
    described.words = area->words;
    described.space = area->place.space;
  }
  LaunchWriter sizes(0);
  WritePiece(described, segments, block_, &sizes);
  if (sizes.data_bytes() > piece_bytes_) {
    return base::MakeError(base::ErrorCode::kOutOfMemory, "more segments than one launch takes");
  }
  DeviceAddress address = 0;
  if (area != nullptr) {
    address = area->place.words;
  } else {
    SVM_ASSIGN_OR_RETURN(address, NextPiece(sizes.data_bytes()));
  }
  Piece& piece = area != nullptr ? area->piece : pieces_.emplace_back();
  LaunchWriter writer(address);
  writer.ReserveFor(sizes);
  const DeviceAddress block = WritePiece(described, segments, block_, &writer);
  piece.image = writer.TakeImage();
  piece.copies = std::move(segments.copies);
  times_.room_bytes += segments.rows_room.bytes();
  piece.rows_room = std::move(segments.rows_room);
  times_.link_bytes += segments.link_bytes;
  times_.device_bytes += segments.device_bytes;
  times_.copy_ms += segments.copy_ms;
  // Only now: to find room for the piece, all launches before it may have been waited for.
  is_idle_ = false;
  SVM_RETURN_NOT_OK(stream->CopyIn(address, piece.image.data(), writer.data_bytes()));
  device::LaunchShape shape = plan_.shape;
  shape.num_blocks = num_blocks;
  ++num_launches_;
  return stream->Launch(program_, shape, block);
}

Result<DeviceAddress> GpuRun::NextPiece(int64_t bytes) {
  if (ring_at_ + bytes > ring_bytes_) SVM_RETURN_NOT_OK(Synchronize());
  const DeviceAddress address = ring_ + static_cast<uint64_t>(ring_at_);
  ring_at_ += memory::RangeAllocator::SizeOf(bytes);
  return address;
}

Status GpuRun::Synchronize() {
  Status status;
  for (device::Stream* stream : streams_) {
    const Status finished = stream->Synchronize();
    if (status.ok()) status = finished;
    times_.kernel_ms += stream->launch_milliseconds();
  }
  // Nobody knows what a device that failed still holds.
  if (!status.ok()) gpu_.copies().Clear();
  pieces_.clear();
  ring_at_ = 0;
  is_idle_ = status.ok();
  return status;
}

// Its launches name memory that the run has or shares, and its program; nothing of the query's.
class GpuRun::Left : public Gpu::LeftWork {
 public:
  Left(std::unique_ptr<GpuRun> run, std::shared_ptr<const device::Program> program)
      : program_(std::move(program)), run_(std::move(run)) {
    run_->segments_.clear();  // launches under way have their own
  }
  Result<bool> IsDone() override {
    for (device::Stream* stream : run_->streams_) {
      SVM_ASSIGN_OR_RETURN(const bool done, stream->IsDone());
      if (!done) return false;
    }
    return true;
  }

 private:
  std::shared_ptr<const device::Program> program_;
  std::unique_ptr<GpuRun> run_;
};

void GpuRun::LeaveBehind(std::unique_ptr<GpuRun> run,
                         std::shared_ptr<const device::Program> program) {
  Gpu& gpu = run->gpu_;
  gpu.LeaveBehind(std::make_unique<Left>(std::move(run), std::move(program)));
}

// Copies of one stream hide behind kernels of others: what counts is what they do not hide behind.
Status GpuRun::AwaitChunks() {
  SVM_RETURN_NOT_OK(Synchronize());
  const double kernel_ms = times_.kernel_ms - chunks_->kernel_ms_before;
  times_.copy_ms += std::max(base::MillisecondsSince(chunks_->begin) - kernel_ms, 0.0);
  return Status::OK();
}

Result<bool> GpuRun::Finish() {
  if (chunks_.has_value()) {
    SVM_RETURN_NOT_OK(AwaitChunks());
  } else if (streams_.size() > 1) {
    // The first stream gives the results, so it must know the others to be done.
    SVM_RETURN_NOT_OK(Synchronize());
  }
  device::Stream& stream = *turn_.stream();
  const Status status = sink_.Fetch(&stream, error_);
  const Status finished = Synchronize();
  SVM_RETURN_NOT_OK(status);
  SVM_RETURN_NOT_OK(finished);
  SVM_ASSIGN_OR_RETURN(const bool had_room, sink_.HadRoom());
  if (!had_room) return false;
  if (sink_.error() != 0) {
    return base::MakeError(static_cast<base::ErrorCode>(sink_.error()), binding_.blueprint().title);
  }
  is_idle_ = false;
  SVM_RETURN_NOT_OK(sink_.Take(&stream, &origins_));
  is_idle_ = true;  // who takes more waits for it
  return true;
}

Result<vkernel::ProgramCache::Loaded> FindProgram(const QueryContext& context,
                                                  const std::string& title,
                                                  const std::string& text) {
  const base::Span span(&context.stats->spans, base::Stage::kCompile);
  vkernel::ProgramCache& programs = context.gpu->programs();
  return context.wait_for_gpu ? programs.Get(title, text) : programs.Find(title, text);
}

namespace {

Result<GpuTimes> RunAll(const QueryContext& context, Gpu* gpu, const device::Program& program,
                        const PipelineBinding& binding, KnownSteps* steps, LaunchSink* sink) {
  const auto start = std::chrono::steady_clock::now();
  SVM_ASSIGN_OR_RETURN(const GpuSource source, FindSource(context, gpu, binding, steps));
  GpuTimes times;
  times.read_ms = base::MillisecondsSince(start);
  for (;;) {
    if (context.workers.cancel != nullptr) SVM_RETURN_NOT_OK(context.workers.cancel->Check());
    SVM_ASSIGN_OR_RETURN(const auto run,
                         GpuRun::Begin(context, gpu, program, binding, steps, sink, source));
    const base::Span span(&context.stats->spans, base::Stage::kRun);
    const auto start = std::chrono::steady_clock::now();
    SVM_RETURN_NOT_OK(run->LaunchAll());
    SVM_ASSIGN_OR_RETURN(const bool taken, run->Finish());
    times.Add(run->times());
    if (taken && source.scan != nullptr) {
      CountScan(*source.scan, context.stats);
    } else if (taken) {
      CountSegments(source.segments, binding.source().table->num_segments(), context.stats);
    }
    times.run_ms += base::MillisecondsSince(start);
    if (taken) return times;
  }
}

}  // namespace

Result<GpuTimes> RunOnGpu(const QueryContext& context, Gpu* gpu, const device::Program& program,
                          const PipelineBinding& binding, KnownSteps* steps, LaunchSink* sink) {
  Result<GpuTimes> times = RunAll(context, gpu, program, binding, steps, sink);
  gpu->NoteEnd(times.status());
  return times;
}

}  // namespace shadowvm::exec
