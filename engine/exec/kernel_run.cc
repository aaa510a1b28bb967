// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/exec/kernel_run.h"

#include <algorithm>
#include <cstring>

#include "engine/exec/step_estimates.h"

namespace shadowvm::exec {
namespace {

// Rows on which steps are measured: enough to tell selectivities apart, little beside a partition.
constexpr int64_t kSampleRows = 4 * kernels::kTileRows;
// Rows of which runs of the same value are counted, on the way.
constexpr int64_t kRunRows = 256;

int64_t BytesOf(const columns::Segment& segment) {
  int64_t bytes = 0;
  for (const auto& column : segment.columns) bytes += column->bytes();
  return bytes;
}

// How many neighbouring rows have the same value, on average: of an order's lines, say, all that
// tells of the order.
double AverageRun(const columns::ColumnSegment& column, const columns::Layout& layout,
                  int64_t begin, int64_t end) {
  if (layout.encoding == columns::Encoding::kText) return 1;
  const int64_t rows = std::min(end - begin, kRunRows);
  const uint8_t* const first = column.data->data() + begin * layout.width;
  int64_t runs = 1;
  for (int64_t row = 1; row < rows; ++row) {
    const uint8_t* const value = first + row * layout.width;
    runs += std::memcmp(value, value - layout.width, layout.width) != 0 ? 1 : 0;
  }
  return static_cast<double>(rows) / static_cast<double>(runs);
}

// Calls visit(begin, end) for the rows of a partition that are there.
template <class Visit>
base::Status ForEachStretch(const columns::Segment& segment, const schedule::Partition& partition,
                            const Visit& visit) {
  if (segment.live.empty()) return visit(partition.row_begin, partition.row_end);
  for (const auto& [begin, end] : segment.live) {
    const int64_t from = std::max(begin, partition.row_begin);
    const int64_t to = std::min(end, partition.row_end);
    if (from < to) SVM_RETURN_NOT_OK(visit(from, to));
  }
  return base::Status::OK();
}

}  // namespace

void CountSegment(const columns::Segment& segment, QueryStats* stats) {
  stats->segments_run += 1;
  stats->bytes_read += BytesOf(segment);
  int64_t rows = segment.live.empty() ? segment.num_rows : 0;
  for (const auto& [begin, end] : segment.live) rows += end - begin;
  stats->rows_read += rows;
}

KernelRun::KernelRun(const QueryContext& context, const vkernel::KernelText& text,
                     std::shared_ptr<vkernel::KernelSlot> kernel, PipelineBinding* binding)
    : context_(context),
      text_(text),
      kernel_(std::move(kernel)),
      binding_(*binding),
      calls_(context.workers.count()) {}

base::Status KernelRun::Prepare() {
  if (order_ != nullptr) return base::Status::OK();
  if (kernel_ == nullptr) {
    const base::Span span(&context_.stats->spans, base::Stage::kCompile);
    SVM_ASSIGN_OR_RETURN(kernel_, context_.kernels->Get(text_.name, text_.text));
  }
  SetEstimates(EstimateSteps(binding_));
  // One step has one order.
  if (order_.load()->size() < 2) measured_ = true;
  return base::Status::OK();
}

void KernelRun::SetEstimates(std::vector<StepEstimate> estimates) {
  auto order =
      std::make_unique<const Order>(OrderSteps(binding_.blueprint().levels[0].steps, estimates));
  std::lock_guard lock(mutex_);
  estimates_ = std::move(estimates);
  orders_.push_back(std::move(order));
  order_.store(orders_.back().get(), std::memory_order_release);
}

base::Status KernelRun::Run(const BindSink& bind_sink, const AfterPartition& after_partition) {
  SVM_RETURN_NOT_OK(Prepare());
  const std::vector<schedule::SegmentWork> work = SegmentsToRun();
  schedule::PartitionQueue queue(work, RowsPerPartition(work, schedule::kPartitionRows));
  context_.stats->partitions.fetch_add(queue.num_partitions(), std::memory_order_relaxed);
  std::atomic<bool> done{false};
  return schedule::RunPartitions(
      context_.workers, &queue,
      [&](int worker, const schedule::Partition& partition) -> base::Status {
        if (done.load(std::memory_order_relaxed)) return base::Status::OK();
        SVM_RETURN_NOT_OK(RunPartition(worker, partition, bind_sink));
        Count(calls_[worker]->segment(), partition);
        if (after_partition && after_partition(worker, partition)) {
          done.store(true, std::memory_order_relaxed);
        }
        return base::Status::OK();
      });
}

// Partitions begin where tiles do.
int64_t KernelRun::RowsPerPartition(const std::vector<schedule::SegmentWork>& work,
                                    int64_t usual) const {
  if (context_.partitions <= 0) return usual;
  int64_t rows = 0;
  for (const schedule::SegmentWork& segment : work) rows += segment.num_rows;
  const int64_t tiles = (rows + kernels::kTileRows - 1) / kernels::kTileRows;
  return std::max<int64_t>((tiles + context_.partitions - 1) / context_.partitions, 1) *
         kernels::kTileRows;
}

void KernelRun::Count(const columns::Segment& segment, const schedule::Partition& partition) {
  if (partition.row_begin == 0) {
    context_.stats->segments_run.fetch_add(1, std::memory_order_relaxed);
    context_.stats->bytes_read.fetch_add(BytesOf(segment), std::memory_order_relaxed);
  }
  static_cast<void>(ForEachStretch(segment, partition, [&](int64_t begin, int64_t end) {
    context_.stats->rows_read.fetch_add(end - begin, std::memory_order_relaxed);
    return base::Status::OK();
  }));
}

std::vector<Keeper> KernelRun::keepers() const {
  std::vector<Keeper> keepers = binding_.keepers();
  for (const auto& call : calls_) {
    if (call != nullptr) keepers.push_back(call->text_keeper());
  }
  return keepers;
}

std::vector<schedule::SegmentWork> KernelRun::SegmentsToRun() {
  columns::TableSource& table = *binding_.source().table;
  std::vector<schedule::SegmentWork> work;
  for (int segment = 0; segment < table.num_segments(); ++segment) {
    if (!binding_.MayPass(segment)) {
      context_.stats->segments_skipped.fetch_add(1, std::memory_order_relaxed);
      continue;
    }
    work.push_back({segment, table.segment_rows(segment), binding_.IsResident(segment)});
    if (!work.back().resident) reads_files_ = true;
  }
  return work;
}

base::Result<WorkerCall*> KernelRun::CallOf(int worker, const BindSink& bind_sink) {
  if (calls_[worker] == nullptr) {
    auto call = std::make_unique<WorkerCall>(&binding_);
    SVM_RETURN_NOT_OK(bind_sink(worker, &call->call()));
    calls_[worker] = std::move(call);
  }
  return calls_[worker].get();
}

base::Status KernelRun::RunOne(int worker, const schedule::Partition& partition,
                               const BindSink& bind_sink) {
  SVM_ASSIGN_OR_RETURN(WorkerCall * call, CallOf(worker, bind_sink));
  SVM_RETURN_NOT_OK(bind_sink(worker, &call->call()));
  return RunPartition(worker, partition, bind_sink);
}

base::Status KernelRun::RunPartition(int worker, const schedule::Partition& partition,
                                     const BindSink& bind_sink) {
  SVM_ASSIGN_OR_RETURN(WorkerCall * call, CallOf(worker, bind_sink));
  SVM_RETURN_NOT_OK(call->Bind(partition.segment));
  const base::Span span(&context_.stats->spans, base::Stage::kRun);
  // Asked first: a word that every worker writes for every partition goes from core to core.
  if (!measured_.load() && !measured_.exchange(true)) Measure(call, partition);
  const Order& order = *order_.load(std::memory_order_acquire);
  call->call().order = order.data();
  call->call().num_steps = static_cast<kernels::u32>(order.size());
  return ForEachStretch(call->segment(), partition,
                        [&](int64_t begin, int64_t end) { return RunRows(call, begin, end); });
}

base::Status KernelRun::RunRows(WorkerCall* call, int64_t row_begin, int64_t row_end) {
  if (row_begin >= row_end) return base::Status::OK();
  call->call().row_begin = static_cast<kernels::u32>(row_begin);
  call->call().row_end = static_cast<kernels::u32>(row_end);
  kernel_->entry()(&call->call());
  return call->TakeError();
}

void KernelRun::Measure(WorkerCall* call, const schedule::Partition& partition) {
  int64_t begin = partition.row_begin;
  int64_t end = std::min(partition.row_end, begin + kSampleRows);
  if (!call->segment().live.empty()) {
    begin = call->segment().live[0].first;
    end = std::min(call->segment().live[0].second, begin + kSampleRows);
  }
  if (begin >= end) return;
  const std::vector<vkernel::Step>& steps = binding_.blueprint().levels[0].steps;
  std::vector<StepEstimate> found = estimates_;
  for (size_t i = 0; i < steps.size(); ++i) {
    // Steps that wait for another one cannot run alone.
    if (found[i].redundant || steps[i].after != 0) continue;
    if (const int column = vkernel::StepColumn(binding_.blueprint(), steps[i]); column >= 0) {
      found[i].run = AverageRun(*call->segment().columns[static_cast<size_t>(column)],
                                binding_.blueprint().columns[column].layout, begin, end);
    }
    found[i].selectivity = MeasureStep(call, static_cast<uint8_t>(i), static_cast<uint32_t>(begin),
                                       static_cast<uint32_t>(end));
  }
  SetEstimates(std::move(found));
}

base::Result<MeasuredSteps> KernelRun::MeasureSteps() {
  SVM_RETURN_NOT_OK(Prepare());
  columns::TableSource& table = *binding_.source().table;
  for (int segment = 0; segment < table.num_segments(); ++segment) {
    if (!binding_.MayPass(segment)) continue;
    WorkerCall call(&binding_);
    SVM_RETURN_NOT_OK(call.Bind(segment));
    measured_ = true;
    Measure(&call, {segment, 0, table.segment_rows(segment)});
    break;
  }
  std::lock_guard lock(mutex_);
  return MeasuredSteps{*order_.load(), estimates_};
}

double KernelRun::MeasureStep(WorkerCall* call, uint8_t step, uint32_t row_begin,
                              uint32_t row_end) {
  kernels::u64 survivors = 0;
  kernels::KernelCall& arguments = call->call();
  arguments.order = &step;
  arguments.num_steps = 1;
  arguments.survivors = &survivors;
  arguments.row_begin = row_begin;
  arguments.row_end = row_end;
  kernel_->entry()(&arguments);
  arguments.survivors = nullptr;
  return static_cast<double>(survivors) / (row_end - row_begin);
}

}  // namespace shadowvm::exec
