// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/mixed_run.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "engine/base/fault.h"
#include "engine/base/wait_awake.h"
#include "engine/schedule/parallel.h"

namespace shadowvm::exec {
namespace {

using base::Result;
using base::Status;
using schedule::Grant;
using schedule::Side;
using schedule::Verdict;

// Rows of the card's batches, at least.
constexpr int64_t kLeastBatchRows = int64_t{1} << 20;
// How long a worker without work waits before it asks again: others' queries may want it. It waits
// on its core, because all is about to be done and waking up takes as long; but not for ever.
constexpr std::chrono::microseconds kAskAgain{50};
constexpr int kMostAwake = 20;
constexpr char kBusy[] = "the GPU is busy with other queries";
constexpr char kCoresWereFirst[] = "cores were done with all of it before the GPU was";
// How long the card is watched before its worker looks at the rest of the world.
constexpr std::chrono::microseconds kWatch{50};

}  // namespace

MixedRun::MixedRun(const QueryContext& context, MixedPipeline pipeline,
                   const MixedSettings& settings)
    : context_(context),
      pipeline_(std::move(pipeline)),
      alone_(context.workers.count() == 1),
      work_(pipeline_.run->SegmentsToRun()),
      start_(std::chrono::steady_clock::now()),
      refused_(static_cast<size_t>(context.workers.count())) {
  if (!work_.empty()) places_.resize(static_cast<size_t>(work_.back().segment) + 1);
  for (size_t i = 0; i < work_.size(); ++i) {
    places_[static_cast<size_t>(work_[i].segment)] = static_cast<int>(i);
    num_rows_ += work_[i].num_rows;
  }
  const int64_t unit_rows = pipeline_.run->RowsPerPartition(work_, schedule::kUnitRows);
  units_ = schedule::CutIntoPartitions(work_, unit_rows);
  context.stats->partitions.fetch_add(std::ssize(units_), std::memory_order_relaxed);
  schedule::MixedOptions options;
  options.policy = settings.policy;
  options.num_units = static_cast<int64_t>(units_.size());
  options.cpu_lanes = context.workers.count();
  options.least_batch = std::max<int64_t>(1, kLeastBatchRows / unit_rows);
  options.most_batch = std::max<int64_t>(1, kMostBatchRows / unit_rows);
  for (const Side side : schedule::kSides) {
    options.remembered[side] = settings.remembered[side] / static_cast<double>(unit_rows);
  }
  schedule_ = std::make_unique<schedule::MixedSchedule>(options);
}

MixedRun::~MixedRun() = default;

double MixedRun::Now() const {
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start_;
  return time.count();
}

Status MixedRun::Run() {
  if (!units_.empty()) {
    const Status ran = context_.workers.device->Run([this](int worker) { return Step(worker); },
                                                    context_.workers.count());
    EndCard();
    SVM_RETURN_NOT_OK(ran);
  }
  ended_ = Now();
  if (context_.workers.cancel != nullptr) SVM_RETURN_NOT_OK(context_.workers.cancel->Check());
  CountWork();
  pipeline_.sink->AddContests([this](int64_t contest) { return schedule_->Won(contest); });
  // It had begun, but nothing of its work was first.
  if (why_not_gpu_.empty() && rows()[schedule::Side::kGpu] == 0) why_not_gpu_ = kCoresWereFirst;
  if (why_not_gpu_.empty()) context_.gpu->NoteEnd(Status::OK());
  return Status::OK();
}

Status MixedRun::ReadSegments() {
  if (!segments_.empty()) return Status::OK();
  SVM_ASSIGN_OR_RETURN(segments_, exec::ReadSegments(context_, *pipeline_.binding));
  return Status::OK();
}

void MixedRun::CountWork() {
  if (segments_.empty()) {
    std::vector<int> numbers;
    for (const schedule::SegmentWork& work : work_) numbers.push_back(work.segment);
    segments_ = pipeline_.binding->FindResident(numbers);
  }
  for (size_t i = 0; i < work_.size(); ++i) {
    if (segments_[i] != nullptr) {
      CountSegment(*segments_[i], context_.stats);
    } else {
      context_.stats->segments_run += 1;
      context_.stats->rows_read += work_[i].num_rows;
    }
  }
}

Result<bool> MixedRun::Step(int worker) {
  if (context_.workers.cancel != nullptr) SVM_RETURN_NOT_OK(context_.workers.cancel->Check());
  Result<bool> more = worker == schedule::kServingLane ? ServeCard() : CpuStep(worker);
  if (!more.ok() || !*more) over_ = true;
  return more;
}

// --- cores ---

Result<bool> MixedRun::CpuStep(int worker) {
  const Grant grant = Take(Side::kCpu, worker);
  if (grant.empty()) {
    AwaitWork(worker);
  } else {
    refused_[static_cast<size_t>(worker)] = 0;
    SVM_RETURN_NOT_OK(RunUnit(worker, grant));
  }
  return GoesOn();
}

void MixedRun::AwaitWork(int worker) {
  if (++refused_[static_cast<size_t>(worker)] > kMostAwake) {
    std::this_thread::sleep_for(kAskAgain);
    return;
  }
  base::WaitAwake(kAskAgain, [this] { return !GoesOn(); });
}

Grant MixedRun::Take(Side side, int worker) {
  std::lock_guard lock(schedule_lock_);
  return GoesOn() ? schedule_->Take(side, worker, Now()) : Grant{};
}

Verdict MixedRun::Finish(const Grant& grant) {
  std::lock_guard lock(schedule_lock_);
  const Verdict verdict = schedule_->Finish(grant.id, Now());
  if (schedule_->done()) over_ = true;
  return verdict;
}

Status MixedRun::RunUnit(int worker, const Grant& grant) {
  SVM_FAULT_POINT("exec.mixed.unit");
  MixedSink& sink = *pipeline_.sink;
  const auto bind = [&](int, kernels::KernelCall* call) {
    return sink.Bind(worker, grant.contest, call);
  };
  for (int64_t number = grant.units.begin; number < grant.units.end; ++number) {
    const schedule::Partition& unit = units_[static_cast<size_t>(number)];
    if (const Status ran = pipeline_.run->RunOne(worker, unit, bind); !ran.ok()) {
      const Status no_room = sink.StatusOf(worker);
      return no_room.ok() ? ran : no_room;
    }
    sink.NoteUnit(worker, grant.contest, unit);
  }
  Finish(grant);
  return Status::OK();
}

// --- the card ---

Result<bool> MixedRun::ServeCard() {
  if (card_ == nullptr && !lost_card_ && HasWaiting()) {
    const Status started = StartCard();
    if (!started.ok()) LoseCard(started);
  }
  if (card_ == nullptr) return CpuStep(0);
  const bool busy = TryPump();
  SVM_RETURN_NOT_OK(added_);
  if (card_ == nullptr) return GoesOn();
  if (alone_ || CardIsProvided()) {
    const Grant grant = Take(Side::kCpu, 0);
    if (!grant.empty()) {
      SVM_RETURN_NOT_OK(RunUnit(0, grant));
      return GoesOn();
    }
  }
  if (!busy) base::WaitAwake(kWatch, [this] { return card_ == nullptr || TryPump(); });
  SVM_RETURN_NOT_OK(added_);
  return GoesOn();
}

bool MixedRun::HasWaiting() {
  std::lock_guard lock(schedule_lock_);
  return schedule_->has_waiting();
}

bool MixedRun::CardIsProvided() {
  std::lock_guard lock(schedule_lock_);
  return schedule_->CardIsProvided(Now());
}

Status MixedRun::StartCard() {
  if (program_ == nullptr) {
    SVM_ASSIGN_OR_RETURN(program_, pipeline_.program());
  }
  why_not_gpu_ = kStillCompiling;
  if (program_ == nullptr) return Status::OK();
  // Others' queries may be at it for long: meanwhile this worker is a core, too.
  std::optional<Gpu::Turn> turn = context_.gpu->TryTurn();
  why_not_gpu_ = turn ? "" : kBusy;
  if (!turn) return context_.gpu->CheckUsable();
  SVM_RETURN_NOT_OK(ReadSegments());
  SVM_ASSIGN_OR_RETURN(card_,
                       GpuRun::BeginApart(context_, context_.gpu, *program_, *pipeline_.binding,
                                          pipeline_.steps, pipeline_.sink->card(), segments_,
                                          schedule::kBatchesHeld, std::move(*turn)));
  return Status::OK();
}

bool MixedRun::TryPump() {
  const Result<bool> pumped = Pump();
  if (!pumped.ok()) LoseCard(pumped.status());
  return pumped.ok() && *pumped;
}

Result<bool> MixedRun::Pump() {
  bool busy = false;
  // They end in the order they were begun in, or nearly so.
  while (!in_flight_.empty() && added_.ok()) {
    SVM_ASSIGN_OR_RETURN(const bool done, card_->IsDone(in_flight_.front().area));
    if (!done) break;
    SVM_ASSIGN_OR_RETURN(const bool had_room, Collect(in_flight_.front()));
    if (!had_room) {
      RestartCard();
      return true;
    }
    in_flight_.pop_front();
    busy = true;
  }
  while (std::ssize(in_flight_) < schedule::kBatchesHeld && added_.ok()) {
    const Grant grant = Take(Side::kGpu, 0);
    if (grant.empty()) break;
    SVM_RETURN_NOT_OK(Launch(grant));
    busy = true;
  }
  return busy;
}

Status MixedRun::Launch(const Grant& grant) {
  // Areas have their turns, so that those in flight have others.
  const int area = in_flight_.empty() ? 0 : (in_flight_.back().area + 1) % schedule::kBatchesHeld;
  in_flight_.push_back({grant, area});
  std::vector<GpuRows> rows;
  for (int64_t unit = grant.units.begin; unit < grant.units.end; ++unit) {
    const schedule::Partition& part = units_[static_cast<size_t>(unit)];
    const int segment = places_[static_cast<size_t>(part.segment)];
    // Neighbours are one stretch.
    if (!rows.empty() && rows.back().segment == segment && rows.back().row_end == part.row_begin) {
      rows.back().row_end = part.row_end;
    } else {
      rows.push_back({segment, part.row_begin, part.row_end});
    }
  }
  return card_->LaunchApart(rows, area);
}

Result<bool> MixedRun::Collect(const Batch& batch) {
  SVM_ASSIGN_OR_RETURN(const bool had_room, card_->Collect(batch.area));
  if (!had_room) return false;
  if (Finish(batch.grant) == Verdict::kAdd) {
    added_ = pipeline_.sink->AddBatch(units_[static_cast<size_t>(batch.grant.units.begin)]);
  }
  return true;
}

void MixedRun::RestartCard() {
  FailBatches();
  in_flight_.clear();
  EndCard();  // waits for the others, which are short, and gives back what it has of the card
}

void MixedRun::FailBatches() {
  std::lock_guard lock(schedule_lock_);
  for (const Batch& batch : in_flight_) schedule_->Fail(batch.grant.id, Now());
}

void MixedRun::LoseCard(const Status& why) {
  why_not_gpu_ = why.message();
  lost_card_ = true;
  context_.gpu->NoteEnd(why);
  FailBatches();
  {
    std::lock_guard lock(schedule_lock_);
    schedule_->GiveUp(Side::kGpu);
  }
  EndCard();
  in_flight_.clear();
}

void MixedRun::EndCard() {
  if (card_ == nullptr) return;
  gpu_times_.Add(card_->times());
  if (in_flight_.empty()) {
    card_.reset();
  } else {
    GpuRun::LeaveBehind(std::move(card_), program_);
  }
}

// --- what was found out ---

int64_t MixedRun::RowsOf(schedule::UnitRange units) const {
  int64_t rows = 0;
  for (int64_t unit = units.begin; unit < units.end; ++unit) {
    rows += units_[static_cast<size_t>(unit)].row_end - units_[static_cast<size_t>(unit)].row_begin;
  }
  return rows;
}

schedule::BySide<int64_t> MixedRun::rows() const {
  schedule::BySide<int64_t> rows;
  for (const auto& flight : schedule_->flights()) {
    const bool counts = flight.outcome == schedule::MixedSchedule::Outcome::kCounts;
    if (counts) rows[flight.side] += RowsOf(flight.units);
  }
  return rows;
}

schedule::Trace MixedRun::trace() const {
  schedule::Trace trace = schedule::TraceOf(*schedule_, ended_);
  trace.title = pipeline_.binding->blueprint().title;
  return trace;
}

schedule::BySide<double> MixedRun::rows_per_ms() const {
  schedule::BySide<double> speeds;
  if (units_.empty()) return speeds;
  const double unit_rows = static_cast<double>(num_rows_) / static_cast<double>(units_.size());
  for (const Side side : schedule::kSides) {
    const schedule::Speed& speed = schedule_->speeds()[side];
    if (speed.is_measured()) speeds[side] = speed.of_lane() * unit_rows;
  }
  return speeds;
}

}  // namespace shadowvm::exec
